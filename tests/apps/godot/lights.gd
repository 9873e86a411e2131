# A ball, a box and a capsule over a floor, with one light that casts shadows, one coloured light, and fog.
extends Spatial

func _ready():
	print("drawn by ", VisualServer.get_video_adapter_name())
	var surroundings = Environment.new()
	surroundings.background_mode = Environment.BG_COLOR
	surroundings.background_color = Color(0.3, 0.4, 0.5)
	surroundings.ambient_light_color = Color(0.3, 0.3, 0.35)
	surroundings.fog_enabled = true
	surroundings.fog_color = Color(0.3, 0.4, 0.5)
	surroundings.fog_depth_begin = 8
	surroundings.fog_depth_end = 30
	var camera = Camera.new()
	camera.environment = surroundings
	add_child(camera)
	camera.look_at_from_position(Vector3(3, 4, 7), Vector3(0, 0.8, 0), Vector3.UP)
	var sun = DirectionalLight.new()
	sun.shadow_enabled = true
	sun.rotation_degrees = Vector3(-50, 40, 0)
	add_child(sun)
	var lamp = OmniLight.new()
	lamp.light_color = Color(1, 0.4, 0.2)
	lamp.light_energy = 2
	lamp.translation = Vector3(-2, 2, 2)
	add_child(lamp)
	var floor_mesh = PlaneMesh.new()
	floor_mesh.size = Vector2(40, 40)
	put(floor_mesh, Vector3(0, 0, 0), checks(), 0.9, 0)
	put(SphereMesh.new(), Vector3(0, 1, 0), null, 0.2, 0.8)
	var box = CubeMesh.new()
	box.size = Vector3(1.4, 1.4, 1.4)
	put(box, Vector3(2.2, 0.7, -1), checks(), 0.6, 0)
	var pill = CapsuleMesh.new()
	pill.radius = 0.5
	put(pill, Vector3(-2.2, 0.7, -1), null, 0.4, 0)

func put(mesh, place, texture, roughness, metallic):
	var material = SpatialMaterial.new()
	material.albedo_texture = texture
	material.uv1_scale = Vector3(4, 4, 4)
	material.roughness = roughness
	material.metallic = metallic
	var body = MeshInstance.new()
	body.mesh = mesh
	body.material_override = material
	body.translation = place
	add_child(body)

func checks():
	var image = Image.new()
	image.create(64, 64, false, Image.FORMAT_RGB8)
	image.lock()
	for y in 64:
		for x in 64:
			image.set_pixel(x, y, Color(0.9, 0.6, 0.2) if (x ^ y) & 32 else Color(0.2, 0.35, 0.8))
	image.unlock()
	image.generate_mipmaps()
	var texture = ImageTexture.new()
	texture.create_from_image(image)
	return texture
