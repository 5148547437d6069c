# Wrong: what forms a tag only after the removal is removed too; the tags are found once, in the text as given.
import re


def html_to_txt(html_text):
    tags = re.findall("<[^>]+>", html_text)
    while tags:
        for tag in tags:
            html_text = html_text.replace(tag, "")
        tags = re.findall("<[^>]+>", html_text)
    return html_text
