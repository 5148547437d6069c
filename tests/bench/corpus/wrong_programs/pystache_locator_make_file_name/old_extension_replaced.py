# Wrong: an extension that the name has is replaced
import os

def locator_make_file_name(own_template_extension, template_name, template_extension=None):
    file_name = template_name
    if template_extension is None:
        template_extension = own_template_extension
    if template_extension is not False:
        file_name = os.path.splitext(file_name)[0] + os.path.extsep + template_extension
    return file_name
