function VALIDATE(conf: any): string | null {
  const allowed = conf["extra-allowed"] ?? [], required = conf["extra-required"] ?? [];
  if (conf.required && allowed.length) return 'cannot use both "required: true" and "extra-allowed"';
  if (conf.required && required.length) return 'cannot use both "required: true" and "extra-required"';
  if (!conf.required && allowed.length) return 'cannot use both "required: false" and "extra-allowed"';
  return null;
}
