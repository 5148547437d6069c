import java.util.Locale;

class Solution {
    static String get_email(String email) {
        return email.toLowerCase(Locale.ROOT).startsWith("mailto:") ? email : "mailto:" + email;
    }
}
