public class Solution {
    public static String strings_remove_punctuation(String string) {
        String marks = "!\"#'()*+,-./:;<=>?[]^_`{|}~\u2019\u201e\u201c\u00bb\u00ab";
        StringBuilder out = new StringBuilder();
        for (int i = 0; i < string.length(); i++) {
            char c = string.charAt(i);
            if (marks.indexOf(c) < 0) out.append(c);
        }
        return out.toString();
    }
}
