import java.nio.charset.StandardCharsets;

class Solution {
    static String PERCENT(String string) {
        StringBuilder out = new StringBuilder();
        for (byte each : string.getBytes(StandardCharsets.UTF_8)) out.append(String.format("%%%02X", each & 0xff));
        return out.toString();
    }
}
