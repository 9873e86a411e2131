"""An isosurface on many ranks: each extracts and draws its piece of the data; rank 0 keeps the nearest pixel of all.

    mpirun -n 4 teslapipe gl --headless -- /usr/bin/python3 examples/farm/isosurface_mpi.py out.ppm

The picture is that of one rank, byte for byte. Data may be larger than a machine's memory, because no rank
holds more than its piece. (Packages python3-vtk9, python3-mpi4py.)
"""
import sys

import numpy
from mpi4py import MPI
from vtkmodules.all import (
    vtkActor, vtkContourFilter, vtkPolyDataMapper, vtkRenderer, vtkRenderWindow, vtkRTAnalyticSource,
    vtkUnsignedCharArray, vtkFloatArray)
from vtkmodules.util.numpy_support import vtk_to_numpy

WIDTH, HEIGHT = 640, 480
ranks = MPI.COMM_WORLD
source = vtkRTAnalyticSource()
source.SetWholeExtent(-40, 40, -40, 40, -40, 40)
contour = vtkContourFilter()
contour.SetInputConnection(source.GetOutputPort())
contour.GenerateValues(4, 120, 220)
contour.ComputeNormalsOff()  # normals at the edge of a piece would need the neighbour's data
contour.UpdatePiece(ranks.rank, ranks.size, 0)
mapper = vtkPolyDataMapper()
mapper.SetInputData(contour.GetOutput())
mapper.SetVBOShiftScaleMethod(0)  # coordinates of all pieces are those of the whole
mapper.SetScalarRange(120, 220)
actor = vtkActor()
actor.SetMapper(mapper)
renderer = vtkRenderer()
renderer.AddActor(actor)
renderer.SetBackground(0.2, 0.25, 0.35)
# All ranks look from one place, whatever their piece is.
camera = renderer.GetActiveCamera()
camera.SetPosition(120, 90, 150)
camera.SetFocalPoint(0, 0, 0)
camera.SetClippingRange(50, 400)
window = vtkRenderWindow()
window.SetOffScreenRendering(True)
window.SetMultiSamples(0)
window.SetSize(WIDTH, HEIGHT)
window.AddRenderer(renderer)
renderer.SetLightFollowCamera(True)
window.Render()

colors, depths = vtkUnsignedCharArray(), vtkFloatArray()
window.GetPixelData(0, 0, WIDTH - 1, HEIGHT - 1, True, colors, 0)
window.GetZbufferData(0, 0, WIDTH - 1, HEIGHT - 1, depths)
color = vtk_to_numpy(colors).reshape(HEIGHT * WIDTH, 3).copy()
depth = vtk_to_numpy(depths).copy()
for step in range(1, ranks.size):  # rank 0 holds one other picture at a time
    if ranks.rank == step:
        ranks.Send(color, 0)
        ranks.Send(depth, 0)
    elif ranks.rank == 0:
        other_color, other_depth = numpy.empty_like(color), numpy.empty_like(depth)
        ranks.Recv(other_color, step)
        ranks.Recv(other_depth, step)
        nearer = other_depth <= depth  # as GL_LEQUAL: of two equal depths the later wins
        color[nearer], depth[nearer] = other_color[nearer], other_depth[nearer]
if ranks.rank == 0:
    with open(sys.argv[1], "wb") as file:
        file.write(b"P6\n%d %d\n255\n" % (WIDTH, HEIGHT))
        file.write(color.reshape(HEIGHT, WIDTH, 3)[::-1].tobytes())
