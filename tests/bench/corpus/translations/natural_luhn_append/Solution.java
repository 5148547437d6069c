public class Solution {
    public static String luhn_append(long number, String chars) {
        int[] alphabet = chars.codePoints().toArray();
        int size = alphabet.length;
        if (size == 0) throw new IllegalArgumentException("no characters");
        String text = Long.toString(number);
        // The place of the check digit holds the first character, whose value is 0.
        long sum = 0;
        for (int place = 1; place <= text.length(); place++) {
            long value = find(alphabet, text.charAt(text.length() - place));
            if (place % 2 == 0) sum += value;
            else sum += value * 2 / size + value * 2 % size;
        }
        int check = (int) (sum % size);
        return text + new String(Character.toChars(alphabet[check == 0 ? 0 : size - check]));
    }

    private static int find(int[] alphabet, int c) {
        for (int i = 0; i < alphabet.length; i++) {
            if (alphabet[i] == c) return i;
        }
        throw new IllegalArgumentException("character not found");
    }
}
