"""Shapes, textures and a clipped part, drawn by kivy in a window that stands still."""
import os
os.environ["KIVY_NO_ARGS"] = os.environ["KIVY_NO_FILELOG"] = "1"

from kivy.app import App
from kivy.config import Config
Config.set("graphics", "width", 640)
Config.set("graphics", "height", 480)
Config.set("graphics", "multisamples", 0)
Config.set("input", "mouse", "mouse,disable_multitouch")

from kivy.graphics import (Color, Ellipse, Line, Mesh, PopMatrix, PushMatrix, Rectangle, Rotate, RoundedRectangle,
                           StencilPop, StencilPush, StencilUse)
from kivy.graphics.texture import Texture
from kivy.uix.button import Button
from kivy.uix.floatlayout import FloatLayout
from kivy.uix.label import Label


def checks():
    texture = Texture.create(size=(64, 64), colorfmt="rgb", mipmap=True)
    texels = bytes(v for y in range(64) for x in range(64) for v in ((230, 160, 40) if (x ^ y) & 16 else (40, 90, 200)))
    texture.blit_buffer(texels, colorfmt="rgb", bufferfmt="ubyte")
    return texture


class Shapes(App):
    def build(self):
        root = FloatLayout()
        with root.canvas:
            Color(0.1, 0.1, 0.15)
            Rectangle(pos=(0, 0), size=(640, 480))
            Color(1, 1, 1)
            Rectangle(texture=checks(), pos=(30, 270), size=(180, 180))
            PushMatrix()
            Rotate(angle=30, origin=(320, 360))
            Color(0.8, 0.2, 0.3)
            RoundedRectangle(pos=(250, 300), size=(140, 120), radius=[30])
            PopMatrix()
            Color(0.2, 0.8, 0.4, 0.6)
            Ellipse(pos=(340, 290), size=(160, 160))
            Color(1, 0.9, 0.3)
            Line(bezier=(40, 60, 200, 260, 340, 10, 600, 220), width=5)
            Mesh(mode="triangle_fan", indices=[0, 1, 2, 3],
                 vertices=[520, 300, 0, 0, 620, 320, 1, 0, 600, 440, 1, 1, 530, 420, 0, 1])
            StencilPush()
            Ellipse(pos=(60, 100), size=(140, 140))
            StencilUse()
            Color(1, 1, 1)
            Rectangle(texture=checks(), pos=(40, 120), size=(200, 60))
            StencilPop()
        root.add_widget(Label(text="kivy", font_size=64, pos=(60, -140)))
        root.add_widget(Button(text="a button", size_hint=(0.25, 0.12), pos=(460, 30)))
        return root


Shapes().run()
