# SPDX-License-Identifier: MIT
"""What TENURE_LAYOUT_FILE tells of the window, for the scripts that drive it."""
import signal
from driving import *

layout_file = os.path.join(work, "layout.json")
os.environ["TENURE_LAYOUT_FILE"] = layout_file
SHADOW = 5  # pixels of it around a window, on the screen: rectangles are without (drive_start looks)


def layout(window):
    """The windows that are shown, as app/window/test-layout.h says."""
    if os.path.exists(layout_file):
        os.remove(layout_file)
    window.send_signal(signal.SIGUSR1)
    for k in range(100):
        time.sleep(0.03)
        try:
            with open(layout_file) as f:
                return json.load(f)["windows"]
        except (OSError, ValueError):
            pass
    return []


def widgets(window):
    return [w for at in layout(window) for w in at["widgets"]]


def is_within(inner, outer):
    return (inner[0] >= outer[0] - 1 and inner[1] >= outer[1] - 1 and inner[0] + inner[2] <= outer[0] + outer[2] + 1
            and inner[1] + inner[3] <= outer[1] + outer[3] + 1)


def focused(window):
    """The widget with the focus, its first words as "words"; None."""
    everything = widgets(window)
    for w in everything:
        if w.get("has_focus"):
            texts = [other["text"] for other in everything if "text" in other and is_within(other["rect"], w["rect"])]
            return dict(w, words=texts[0] if texts else w.get("tip", ""))
    return None


def wait_layout(window, condition, seconds=15, pause=0.1):
    """The windows, once the condition holds for their list; else as they are at the end."""
    end = time.time() + seconds
    while time.time() < end:
        now = layout(window)
        if now and condition(now):
            return now
        time.sleep(pause)
    return layout(window)


def texts(windows):
    return [w["text"] for at in windows for w in at["widgets"] if "text" in w]


def has(text):
    return lambda windows: any(text in t for t in texts(windows))


def lacks(text):
    return lambda windows: not has(text)(windows)


def press_text(windows, text):
    """Clicks in the middle of the first words that are these; of the window in front."""
    rects = [w["rect"] for w in windows[-1]["widgets"] if w.get("text") == text]
    x, y = middle(rects[0])
    click(x + SHADOW, y + SHADOW)


def toasts(windows):
    return [w for at in windows for w in at["widgets"] if w["type"] == "AdwToastWidget"]


def end(window):
    window.kill()
    window.wait()
