import java.math.BigInteger;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

public class Solution {
    private static boolean isSpace(char c) {
        return (c >= 0x09 && c <= 0x0d) || (c >= 0x1c && c <= 0x20) || c == 0x85 || c == 0xa0 || c == 0x1680
                || (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 || c == 0x202f || c == 0x205f
                || c == 0x3000;
    }

    private static BigInteger big(Object x) {
        if (x instanceof BigInteger) return (BigInteger) x;
        return BigInteger.valueOf(((Number) x).longValue());
    }

    private static int compareTexts(String a, String b) {
        return Arrays.compare(a.codePoints().toArray(), b.codePoints().toArray());
    }

    private static int compare(List<Object> a, List<Object> b) {
        int c = big(a.get(0)).compareTo(big(b.get(0)));
        return c != 0 ? c : compareTexts((String) a.get(1), (String) b.get(1));
    }

    public static List<String> srt_tags(String tag, Map<String, List<Object>> colours) {
        int start = 0;
        while (start < tag.length() && isSpace(tag.charAt(start))) start++;
        int stop = start;
        while (stop < tag.length() && !isSpace(tag.charAt(stop))) stop++;
        String[] parts = tag.substring(start, stop).split("\\.", -1);
        String name = parts[0];
        if (name.isEmpty() || !name.codePoints().allMatch(Character::isLetter)) {
            return null;
        }
        if (name.equals("font")) {
            return Arrays.asList(name, "<" + tag + ">", "</font>");
        }
        String open = "";
        String close = "";
        if (name.equals("b") || name.equals("i") || name.equals("u")) {
            open = "<" + name + ">";
            close = "</" + name + ">";
        }
        List<Object> best = null;
        for (int i = 1; i < parts.length; i++) {
            List<Object> item = colours.get(parts[i]);
            if (item != null && (best == null || compare(item, best) > 0)) {
                best = item;
            }
        }
        if (best != null) {
            open = open + "<font color=\"" + best.get(1) + "\">";
            close = "</font>" + close;
        }
        return Arrays.asList(name, open, close);
    }
}
