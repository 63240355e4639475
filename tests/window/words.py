#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""words.py SOURCE: what the window says is marked for translation, and gettext finds it."""
import os, re, shutil, subprocess, sys, tempfile

SOURCE = sys.argv[1]
WINDOW = os.path.join(SOURCE, "app", "window")
TOKEN = re.compile(r'/\*.*?\*/|#\s*include[^\n]*|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\]|\\.)*\'|[A-Za-z_]\w*|\S', re.S)
# What a name, and not words, is given to: signals, actions, properties, style classes, names in files.
NAMES = re.compile(
    r"^(g_signal_\w+|g_object_(set_data|set_data_full|get_data|steal_data|get)|g_param_spec_\w+|add_signal|tn_undo_push(_shared)?"
    r"|g_action_map_\w+|g_simple_action_\w+|gtk_widget_(add|remove)_css_class|gtk_actionable_\w+|gtk_widget_activate_action"
    r"|gtk_stack_(add_named|set_visible_child_name)|g_settings_\w+|tn_settings_\w+|g_variant_\w+|tn_strategies_find"
    r"|g_build_filename|g_getenv|g_printerr|fprintf|pango_font_description_from_string|set_filters|keep_change|keep|change"
    r"|add_fixed|gtk_shortcut_trigger_parse_string|gtk_recent_info_has_application|tn_graph_edits_parse)$")
# Names of things, the same in all languages; keys; and patterns and prefixes of files.
SAME = re.compile(
    r"^(Tenure|Menu|GtkColumnViewTitle|Okabe–Ito|JSON|Sans( 11)?|tenure %f|%s,Cantarell,Noto Sans,DejaVu Sans,sans-serif"
    r"|io\.github\.tenure\.Tenure(-symbolic)?|/io/github/tenure/Tenure|<span foreground=.*)$|^(<\w+>)+\w+$")
# Written for programs, for tests, or into a report, which is the same in all languages.
MACHINES = {"test-state.c", "diff-state.c", "test-buttons.c", "test-layout.c", "notes-json.c", "watchdog.c", "report-content.c"}
# Labels of undo steps: what could be undone is told by the button alone.
UNDO = {"what-if-form.c": {"Change Allocator", "Change Device Memory", "Change Growing Segments", "Change Split Limit",
                           "Change Size Divisions", "Change Garbage Collection", "Fill In Settings"}}
# These show what they are given, so that a single small word counts too.
SHOWN = re.compile(r"^(gtk_\w+_(set_label|set_text|set_tooltip_text|set_title)|tn_tip_set|gtk_label_new|gtk_\w+_with_(label|mnemonic)"
                   r"|adw_\w+_(set_title|set_subtitle|set_description)|adw_toast_new|g_menu_append\w*|label_new|make_label)$")


def literals(text):
    """Each string of a C file: its text, line, and the functions around it, the nearest last."""
    calls, before = [], ""
    for token in TOKEN.finditer(text):
        word = token.group()
        if word[0] == "(":
            calls.append(before)
        elif word[0] == ")" and calls:
            calls.pop()
        elif word[0] == '"':
            yield word[1:-1], text.count("\n", 0, token.start()) + 1, list(calls)
        if not word.startswith("/*"):
            before = word


def is_words(text, calls):
    plain = re.sub(r"%[-+0-9.*]*(?:ll?|z|j)?[a-zA-Z]|\\.", " ", text)
    if any(SHOWN.match(call) for call in calls[-1:]) and re.search(r"[A-Za-z]{2}", plain):
        return not re.fullmatch(r"[a-z]+([-.:][a-z-]+)+|caption|heading|numeric|dim-label|title-4|error|warning|s", text)
    return bool(re.search(r"[A-Z][a-z]|[A-Za-z]{2}[,.:]? +\w|[a-z]…|[A-Za-z]{2} [“(]", plain)) and not text.startswith("{\\\"")


def unmarked():
    for name in sorted(os.listdir(WINDOW)):
        if not name.endswith(".c") or name in MACHINES:
            continue
        with open(os.path.join(WINDOW, name)) as f:
            for text, line, calls in literals(f.read()):
                is_marked = any(call in ("_", "N_", "ngettext") for call in calls)
                is_name = any(NAMES.match(call) for call in calls) or SAME.match(text)
                if is_words(text, calls) and not is_marked and not is_name and text not in UNDO.get(name, ()):
                    yield "%s:%d: %s" % (name, line, text)


def marked_files():
    for name in sorted(os.listdir(WINDOW)):
        with open(os.path.join(WINDOW, name), encoding="utf-8", errors="replace") as f:
            text = f.read()
        if name.endswith(".ui") or (name.endswith(".c") and re.search(r"\b(N_|_|ngettext)\(", text)):
            yield "app/window/" + name


def listed_files():
    with open(os.path.join(SOURCE, "app", "po", "POTFILES")) as f:
        return [line.strip() for line in f if line.strip() and line[0] != "#"]


def plain_titles():
    """Titles of .ui files that no translator sees."""
    for name in marked_files():
        if name.endswith(".ui"):
            with open(os.path.join(SOURCE, name)) as f:
                for title in re.findall(r'<property name="(?:title|label|tooltip-text)">[^<]*', f.read()):
                    yield "%s: %s" % (name, title)


def extract():
    """How many messages gettext finds, and what it warns of."""
    with tempfile.TemporaryDirectory() as folder:
        pot = os.path.join(folder, "tenure.pot")
        done = subprocess.run(["xgettext", "--from-code=UTF-8", "-k_", "-kN_", "-kngettext:1,2", "-o", pot]
                              + listed_files(), cwd=SOURCE, capture_output=True, text=True)
        with open(pot) as f:
            return len(re.findall(r"^msgid ", f.read(), re.M)), done.stderr.strip()


n = 0


def check(name, wrong):
    global n
    n += 1
    print("%s %d - %s" % ("not ok" if wrong else "ok", n, name))
    for line in wrong:
        print("# %s" % line)


check("all words of the window are marked for translation", list(unmarked()))
check("the titles of .ui files are translatable", list(plain_titles()))
there = [name for name in listed_files() if name.startswith("app/window/")]
check("app/po/POTFILES lists what has words", sorted(set(there) ^ set(marked_files())))
if shutil.which("xgettext"):
    count, warnings = extract()
    check("gettext finds them: %d" % count, warnings.splitlines() if warnings else [] if count > 500 else ["too few"])
else:
    n += 1
    print("ok %d - gettext finds them # SKIP no xgettext" % n)
print("1..%d" % n)
