"""An isosurface by ParaView, whose ranks divide data and drawing among themselves and compose the picture.

    mpirun -n 4 teslapipe gl --headless -- pvbatch examples/farm/isosurface_pvbatch.py out.bmp

Each rank's OpenGL is teslapipe. Where pieces of the surface meet, ParaView's picture depends on the number of ranks: a
few pixels in a thousand differ. isosurface_mpi.py shows how to avoid that. (Packages paraview, python3-paraview.)
"""
import sys

from paraview.simple import (
    ColorBy, Contour, CreateView, Render, SaveScreenshot, Show, Wavelet, _DisableFirstRenderCameraReset)

_DisableFirstRenderCameraReset()
source = Wavelet(WholeExtent=[-30, 30, -30, 30, -30, 30])
contour = Contour(Input=source, ContourBy=["POINTS", "RTData"], Isosurfaces=[120, 150, 180, 220])
contour.ComputeNormals = 0  # normals at the edge of a piece would need the neighbour's data
view = CreateView("RenderView")
view.ViewSize = [640, 480]
view.UseColorPaletteForBackground = 0
view.Background = [0.2, 0.25, 0.35]
view.OrientationAxesVisibility = 0
view.CameraPosition = [90, 70, 110]
view.CameraFocalPoint = [0, 0, 0]
view.RemoteRenderThreshold = 0  # all ranks draw
shown = Show(contour, view)
ColorBy(shown, ("POINTS", "RTData"))
Render(view)
driver = [line for line in view.GetRenderWindow().ReportCapabilities().splitlines() if "renderer" in line]
print("\n".join(driver))
SaveScreenshot(sys.argv[1], view, ImageResolution=[640, 480])
