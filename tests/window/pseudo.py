# SPDX-License-Identifier: MIT
"""A language that nobody speaks: the window's words with accents and 40 % longer, made by gettext's tools."""
import os, re, subprocess

ACCENTS = str.maketrans("aeiouycnsAEIOUYCNS", "åéîöüÿçñšÅÉÎÖÜŸÇÑŠ")
KEPT = re.compile(r"(%[-+0-9.*]*(?:ll|l|z|j)?[a-zA-Z%]|\\.|<[^>]*>|_.)")


def stretch(text):
    """As long again by 40 %, what printf() and mnemonics need as it was."""
    if not re.search(r"[A-Za-z]{2}", re.sub(KEPT, " ", text)):
        return text
    parts = KEPT.split(text)
    parts[::2] = [part.translate(ACCENTS) for part in parts[::2]]
    more = max(1, round(0.4 * len(re.sub(r"%\S|\\.|_", "", text))))
    end = len("".join(parts)) - len("".join(parts).rstrip(" ").removesuffix("\\n").rstrip(" :.…"))
    whole = "".join(parts)
    filler = " löñg åš å wörd çåñ bé" if " " in text else "ñéšš"
    return whole[:len(whole) - end] + (filler * (more // len(filler) + 1))[:more].rstrip() + whole[len(whole) - end:]


def quoted(lines):
    return "".join(re.findall(r'"(.*)"$', line)[0] for line in lines)


def translate(pot):
    """A .po of a template: every message stretched."""
    out = ['msgid ""', 'msgstr "Content-Type: text/plain; charset=UTF-8\\nPlural-Forms: nplurals=2; plural=n != 1;\\n"', ""]
    for entry in pot.split("\n\n")[1:]:
        lines = [line for line in entry.split("\n") if line and line[0] != "#"]
        if not lines:
            continue
        text = "\n".join(lines)
        fields = re.findall(r'^(msgid|msgid_plural|msgctxt) ((?:".*"\n?)+)', text, re.M)
        words = {name: quoted(value.strip().split("\n")) for name, value in fields}
        out += ['%s "%s"' % (name, words[name]) for name in ("msgctxt", "msgid", "msgid_plural") if name in words]
        if "msgid_plural" in words:
            out += ['msgstr[%d] "%s"' % (k, stretch(words[name])) for k, name in enumerate(("msgid", "msgid_plural"))]
        else:
            out.append('msgstr "%s"' % stretch(words["msgid"]))
        out.append("")
    return "\n".join(out)


def write(source, folder, language="xx"):
    """FOLDER/LANGUAGE/LC_MESSAGES/tenure.mo, of what POTFILES lists."""
    with open(os.path.join(source, "app", "po", "POTFILES")) as f:
        files = [line.strip() for line in f if line.startswith("app/window/")]
    pot, po = os.path.join(folder, "tenure.pot"), os.path.join(folder, "tenure.po")
    subprocess.run(["xgettext", "--from-code=UTF-8", "-k_", "-kN_", "-kngettext:1,2", "-o", pot] + files, cwd=source, check=True)
    with open(pot) as f, open(po, "w") as out:
        out.write(translate(f.read()))
    where = os.path.join(folder, language, "LC_MESSAGES")
    os.makedirs(where, exist_ok=True)
    subprocess.run(["msgfmt", "--check-format", "-o", os.path.join(where, "tenure.mo"), po], check=True)
