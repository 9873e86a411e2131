"""A bracket with holes in FreeCAD's 3D view, for tests/apps/list: faces, edges, a translucent body, a gradient behind."""
import FreeCAD
import FreeCADGui
import Part
from FreeCAD import Vector
from PySide2 import QtCore, QtWidgets


def shape(document, name, solid, colour, transparency=0):
    part = document.addObject("Part::Feature", name)
    part.Shape = solid
    part.ViewObject.ShapeColor = colour
    part.ViewObject.Transparency = transparency


def draw():
    document = FreeCAD.newDocument("Bracket")
    plate = Part.makeBox(60, 40, 8)
    wall = Part.makeBox(8, 40, 40)
    bracket = plate.fuse(wall).cut(Part.makeCylinder(9, 20, Vector(38, 20, -5)))
    bracket = bracket.cut(Part.makeCylinder(7, 20, Vector(-5, 20, 26), Vector(1, 0, 0)))
    shape(document, "Bracket", bracket, (0.25, 0.45, 0.75))
    shape(document, "Bolt", Part.makeCylinder(8, 36, Vector(38, 20, -10)), (0.85, 0.55, 0.2))
    shape(document, "Glass", Part.makeSphere(14, Vector(36, 20, 34)), (0.6, 0.9, 0.6), 60)
    document.recompute()
    main = FreeCADGui.getMainWindow()
    for window in main.findChildren(QtWidgets.QDockWidget) + main.findChildren(QtWidgets.QToolBar):
        window.hide()
    area = main.findChild(QtWidgets.QMdiArea)
    for window in area.subWindowList():
        if "Bracket" not in window.windowTitle():
            window.close()
    main.showMaximized()
    view = FreeCADGui.activeDocument().activeView()
    view.setAnimationEnabled(False)
    view.viewIsometric()
    view.fitAll()


QtCore.QTimer.singleShot(3000, draw)
