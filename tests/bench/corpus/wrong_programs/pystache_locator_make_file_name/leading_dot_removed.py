# Wrong: a dot at the start of the extension is taken off
import os

def locator_make_file_name(own_template_extension, template_name, template_extension=None):
    file_name = template_name
    if template_extension is None:
        template_extension = own_template_extension
    if template_extension is not False:
        file_name += os.path.extsep + template_extension.lstrip(".")
    return file_name
