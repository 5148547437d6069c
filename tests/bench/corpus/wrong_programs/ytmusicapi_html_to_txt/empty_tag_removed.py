# Wrong: the empty pair <> is removed too; a tag has at least one character inside.
import re


def html_to_txt(html_text):
    for tag in re.findall("<[^>]*>", html_text):
        html_text = html_text.replace(tag, "")
    return html_text
