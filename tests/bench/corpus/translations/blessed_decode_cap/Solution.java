public class Solution {
    public static String decode_cap(String value) {
        StringBuilder out = new StringBuilder();
        for (int i = 0; i < value.length(); i++) {
            char ch = value.charAt(i);
            if (ch == 0x1b) out.append("\\E");
            else if (ch == '\n') out.append("\\n");
            else if (ch == '\r') out.append("\\r");
            else if (ch == '\t') out.append("\\t");
            else if (ch == 0) out.append("^@");
            else if (ch == 0x7f) out.append("^?");
            else if (ch < 32) out.append('^').append((char) (ch + 64));
            else out.append(ch);
        }
        return out.toString();
    }
}
