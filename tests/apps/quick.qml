// A window of Qt Quick: gradients, rounded and turned shapes, clipping, opacity, text.
import QtQuick
import QtQuick.Window

Window {
    visible: true
    width: 640
    height: 480
    color: "#203040"

    Rectangle {
        x: 30; y: 30; width: 260; height: 180; radius: 24
        border { width: 4; color: "white" }
        gradient: Gradient {
            GradientStop { position: 0.0; color: "#ff8a30" }
            GradientStop { position: 0.5; color: "#c03070" }
            GradientStop { position: 1.0; color: "#302080" }
        }
    }
    Repeater {
        model: 12
        Rectangle {
            x: 420; y: 110; width: 150; height: 24; radius: 12; opacity: 0.6
            antialiasing: true
            transformOrigin: Item.Left
            rotation: 30 * index
            color: Qt.hsva(index / 12, 0.8, 0.95, 1)
        }
    }
    Item {
        x: 40; y: 250; width: 240; height: 190; clip: true
        Grid {
            columns: 8
            Repeater {
                model: 64
                Rectangle {
                    width: 40; height: 30
                    color: (index + (index >> 3)) % 2 ? "#e0e0c0" : "#406050"
                    scale: 0.5 + (index % 8) / 14
                }
            }
        }
    }
    Text {
        x: 330; y: 280; color: "white"; font.pixelSize: 40; font.bold: true
        text: "Qt Quick"
    }
    Text {
        x: 330; y: 340; width: 280; color: "#a0e0ff"; font.pixelSize: 18; wrapMode: Text.Wrap
        text: "The scene graph draws by QRhi; its text comes from an atlas of distance fields."
    }
}
