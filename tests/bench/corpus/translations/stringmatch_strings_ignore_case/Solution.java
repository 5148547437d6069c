import java.util.Locale;

public class Solution {
    public static String strings_ignore_case(String string, boolean lower) {
        if (!lower) return string.toUpperCase(Locale.ROOT);
        int[] s = string.codePoints().toArray();
        StringBuilder out = new StringBuilder();
        for (int i = 0; i < s.length; i++) {
            if (s[i] == 0x130) out.append('i').append((char) 0x307);
            else if (s[i] == 0x3a3) out.append((char) (finalSigma(s, i) ? 0x3c2 : 0x3c3));
            else out.appendCodePoint(Character.toLowerCase(s[i]));
        }
        return out.toString();
    }

    private static boolean finalSigma(int[] s, int at) {
        int i = at - 1;
        while (i >= 0 && ignorable(s[i])) i--;
        if (i < 0 || !cased(s[i])) return false;
        i = at + 1;
        while (i < s.length && ignorable(s[i])) i++;
        return i == s.length || !cased(s[i]);
    }

    private static boolean cased(int c) {
        return Character.isLowerCase(c) || Character.isUpperCase(c) || Character.isTitleCase(c);
    }

    private static boolean ignorable(int c) {
        switch (c) {
            case 0x27: case 0x2e: case 0x3a: case 0xb7: case 0x387: case 0x55f: case 0x5f4:
            case 0x2018: case 0x2019: case 0x2024: case 0x2027:
            case 0xfe13: case 0xfe52: case 0xfe55: case 0xff07: case 0xff0e: case 0xff1a:
                return true;
            default:
        }
        switch (Character.getType(c)) {
            case Character.NON_SPACING_MARK:
            case Character.ENCLOSING_MARK:
            case Character.FORMAT:
            case Character.MODIFIER_LETTER:
            case Character.MODIFIER_SYMBOL:
                return true;
            default:
                return false;
        }
    }
}
