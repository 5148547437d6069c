/**
 * @param {string} email
 * @returns {string}
 */
function get_email(email) {
  return email.toLowerCase().startsWith("mailto:") ? email : "mailto:" + email;
}
