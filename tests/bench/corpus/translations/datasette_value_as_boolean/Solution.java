import java.util.Locale;

class Solution {
    static boolean value_as_boolean(String value) {
        switch (value.toLowerCase(Locale.ROOT)) {
            case "on":
            case "true":
            case "1":
                return true;
            case "off":
            case "false":
            case "0":
                return false;
            default:
                throw new IllegalArgumentException("not a boolean value: " + value);
        }
    }
}
