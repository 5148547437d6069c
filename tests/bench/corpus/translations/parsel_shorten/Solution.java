public class Solution {
    public static String shorten(String text, long width, String suffix) {
        int length = text.codePointCount(0, text.length());
        if (length <= width) return text;
        if (width < 0) throw new IllegalArgumentException("width must be equal or greater than 0");
        int w = (int) width; // smaller than the text's length here
        int tail = suffix.codePointCount(0, suffix.length());
        if (w > tail) return text.substring(0, text.offsetByCodePoints(0, w - tail)) + suffix;
        return suffix.substring(suffix.offsetByCodePoints(0, tail - w));
    }
}
