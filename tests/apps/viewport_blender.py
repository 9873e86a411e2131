"""Blender's viewport with EEVEE's materials, ambient occlusion and soft shadows, turned; the picture goes to $PICTURE."""
import os, time

import bpy
import gpu

FRAMES = 3


def draw():
    window = bpy.context.window_manager.windows[0]
    area = next(a for a in window.screen.areas if a.type == "VIEW_3D")
    region = next(r for r in area.regions if r.type == "WINDOW")
    space = area.spaces.active
    space.shading.type = "RENDERED"
    space.overlay.show_overlays = False
    space.region_3d.view_distance = 7
    scene = bpy.context.scene
    scene.render.resolution_x, scene.render.resolution_y, scene.render.resolution_percentage = 480, 360, 100
    scene.render.image_settings.file_format = "PNG"
    scene.eevee.use_gtao = True
    scene.eevee.taa_samples = 1
    print("drawn by", gpu.platform.renderer_get())
    with bpy.context.temp_override(window=window, area=area, region=region, screen=window.screen):
        begin = time.monotonic()
        for frame in range(FRAMES):
            scene.camera.location.x += 0.05
            scene.render.filepath = os.environ["PICTURE"]
            bpy.ops.render.opengl(write_still=frame == FRAMES - 1, view_context=True)
        print("%.2f frames/s" % (FRAMES / (time.monotonic() - begin)), flush=True)
    os._exit(0)


bpy.ops.mesh.primitive_monkey_add(location=(0, -2.2, 0.4), rotation=(-0.6, 0, 0.9))
bpy.ops.object.shade_smooth()
bpy.ops.mesh.primitive_plane_add(size=12, location=(0, 0, -1))
for name, colour in (("Suzanne", (0.8, 0.3, 0.05, 1)), ("Plane", (0.2, 0.5, 0.25, 1))):
    material = bpy.data.materials.new(name)
    material.use_nodes = True
    material.node_tree.nodes["Principled BSDF"].inputs["Base Color"].default_value = colour
    bpy.data.objects[name].data.materials.append(material)
bpy.app.timers.register(draw, first_interval=1.0)
