"""The questions of docs/guide/choose-options.md, for the form and for its test.

  options.py --check      exit status 1 where the page names an option that there is not
  options.py --json       what the form is made of
"""

import json
import pathlib
import re
import sys

import figures

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PAGE = "docs/guide/choose-options.md"
HEADER = "include/kinformer/cache/informer_options.h"
PLACE = "<!-- The form of the site. -->"


def members(struct):
    """The members of a struct of the header, in their order."""
    text = (ROOT / HEADER).read_text()
    body = re.search(rf"^struct {struct} \{{\n(.*?)^\}};", text, re.MULTILINE | re.DOTALL).group(1)
    return re.findall(r"^  [\w:<>, ]+ (\w+)(?:\{.*\}| = .*)?;", re.sub(r"//.*", "", body),
                      re.MULTILINE)


def codes(cell):
    return re.findall(r"`([^`]+)`", cell.replace("\\|", "|"))


def split(code):
    """(where, member, value) of an option."""
    if code == "MetadataInformerFor":
        return "call", "call", code
    if match := re.fullmatch(r"HandlerOptions\{\.(\w+) = (.*)\}", code):
        return "handler", *match.groups()
    match = re.fullmatch(r"\.(\w+) = (.*)", code)
    if match is None:
        raise LookupError(f"{PAGE}: {code} is no option: write `.member = value`")
    return "informer", *match.groups()


def questions():
    """[{question, answers: [{answer, options: [{where, member, value}], why}]}]"""
    found = []
    text = (ROOT / PAGE).read_text()
    for match in re.finditer(r"^## (.*)$", text, re.MULTILINE):
        answers = []
        for _, rows in figures.tables(figures.section(text, match.group(1))):
            for answer, cell, why in rows:
                options = [dict(zip(("where", "member", "value"), split(code)))
                           for code in codes(cell)]
                answers.append({"answer": answer, "options": options, "why": why})
        found.append({"question": match.group(1), "answers": answers})
    return found


def check(asked, order):
    """Findings: an option that there is not, or that two questions set."""
    asks = {}
    for question in asked:
        if len(question["answers"]) < 2 or question["answers"][0]["options"]:
            yield f"{PAGE}: the first answer to {question['question']} keeps the defaults"
        for option in (one for answer in question["answers"] for one in answer["options"]):
            key = (option["where"], option["member"])
            if option["where"] != "call" and option["member"] not in order[option["where"]]:
                yield f"{PAGE}: {HEADER} has no member {option['member']}"
            if asks.setdefault(key, question["question"]) != question["question"]:
                yield f"{PAGE}: two questions set {option['member']}"


def data():
    order = {"informer": members("InformerOptions"), "handler": members("HandlerOptions")}
    asked = questions()
    if errors := list(check(asked, order)):
        raise LookupError("\n".join(errors))
    return {"questions": asked, "order": order}


def with_form(text):
    """The page with its form."""
    if PLACE not in text:
        raise LookupError(f"{PAGE}: has no place for the form: {PLACE}")
    inside = json.dumps(data()).replace("<", "\\u003c")
    return text.replace(PLACE, '<div id="options-form"></div>\n'
                        f'<script type="application/json" id="options-data">{inside}</script>')


if __name__ == "__main__":
    try:
        if sys.argv[1:] == ["--json"]:
            print(json.dumps(data()))
        elif sys.argv[1:] == ["--check"]:
            data()
        else:
            sys.exit(__doc__)
    except LookupError as error:
        sys.exit(str(error))
