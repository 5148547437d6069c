# Wrong: a > in a quoted attribute does not end the tag; by the expression the first > does.
import re

TAG = re.compile(r"""<(?:"[^"]*"|'[^']*'|[^>])+?>""")


def html_to_txt(html_text):
    for tag in TAG.findall(html_text):
        html_text = html_text.replace(tag, "")
    return html_text
