class Solution {
    static String format_complex_number(String text) {
        int last = text.isEmpty() ? 0 : text.offsetByCodePoints(text.length(), -1);
        String number = text.substring(0, last), suffix = text.substring(last);
        int point = number.indexOf('.');
        if (point < 0) return text;
        if (number.indexOf('.', point + 1) >= 0) throw new IllegalArgumentException("two points");
        String before = number.substring(0, point), after = number.substring(point + 1);
        return (before.isEmpty() ? "0" : before) + "." + (after.isEmpty() ? "0" : after) + suffix;
    }
}
