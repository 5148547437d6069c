function get_email(email: string): string {
  return email.toLowerCase().startsWith("mailto:") ? email : "mailto:" + email;
}
