# SPDX-License-Identifier: MIT
"""What TENURE_LAYOUT_FILE tells of the window, for the scripts that drive it."""
import signal
from driving import *

layout_file = os.path.join(work, "layout.json")
os.environ["TENURE_LAYOUT_FILE"] = layout_file


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
