public class Solution {
    public static String camel_to_underscore(String name) {
        int[] cps = name.codePoints().toArray();
        int[] out = new int[cps.length * 2 + 2];
        int n = 0;
        for (int i = 0; i < cps.length; i++) {
            int c = cps[i];
            if (i > 0) {
                int pc = cps[i - 1];
                if (Character.isUpperCase(c)) {
                    if (!Character.isUpperCase(pc) && pc != '_') {
                        out[n++] = '_';
                    }
                } else if (i > 1 && Character.isLowerCase(c) && Character.isUpperCase(pc)
                        && Character.isUpperCase(cps[i - 2])) {
                    boolean plural = c == 's'
                            && !(i + 1 < cps.length && Character.isLowerCase(cps[i + 1]));
                    if (!plural) {
                        out[n] = out[n - 1];
                        out[n - 1] = '_';
                        n++;
                    }
                }
            }
            out[n++] = c;
        }
        StringBuilder sb = new StringBuilder();
        for (int i = 0; i < n; i++) {
            int c = out[i];
            if (c == 0x130) {
                sb.append("i\u0307");
            } else if (c == 0x3A3) {
                sb.appendCodePoint(isFinalSigma(out, n, i) ? 0x3C2 : 0x3C3);
            } else {
                sb.appendCodePoint(Character.toLowerCase(c));
            }
        }
        return sb.toString();
    }

    private static boolean isFinalSigma(int[] s, int n, int at) {
        int j = at - 1;
        while (j >= 0 && caseIgnorable(s[j])) {
            j--;
        }
        if (j < 0 || !cased(s[j])) {
            return false;
        }
        j = at + 1;
        while (j < n && caseIgnorable(s[j])) {
            j++;
        }
        return j >= n || !cased(s[j]);
    }

    private static boolean cased(int c) {
        return Character.isUpperCase(c) || Character.isLowerCase(c) || Character.isTitleCase(c);
    }

    private static boolean caseIgnorable(int c) {
        switch (c) {
            case 0x27: case 0x2E: case 0x3A: case 0xB7: case 0x387: case 0x55F: case 0x5F4:
            case 0x2018: case 0x2019: case 0x2024: case 0x2027: case 0xFE13: case 0xFE52:
            case 0xFE55: case 0xFF07: case 0xFF0E: case 0xFF1A:
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
