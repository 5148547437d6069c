# Wrong: entities such as &amp; are decoded too.
import html
import re


def html_to_txt(html_text):
    for tag in re.findall("<[^>]+>", html_text):
        html_text = html_text.replace(tag, "")
    return html.unescape(html_text)
