# Wrong: an empty extension adds nothing, not even the dot
import os

def locator_make_file_name(own_template_extension, template_name, template_extension=None):
    file_name = template_name
    if template_extension is None:
        template_extension = own_template_extension
    if template_extension:
        file_name += os.path.extsep + template_extension
    return file_name
