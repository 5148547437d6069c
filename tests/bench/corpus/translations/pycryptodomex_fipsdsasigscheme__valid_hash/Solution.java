import java.util.*;

public class Solution {
    public static boolean fips_dsa_sig_scheme_valid_hash(Map<String, Object> msg_hash) {
        String oid = (String) msg_hash.get("oid");
        return oid.equals("1.3.14.3.2.26") || oid.startsWith("2.16.840.1.101.3.4.2.");
    }
}
