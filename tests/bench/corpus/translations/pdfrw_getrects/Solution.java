import java.util.*;
import java.util.regex.*;

public class Solution {
    private static boolean isBlank(char c) {
        return (c >= 9 && c <= 13) || (c >= 0x1c && c <= 0x20) || c == 0x85 || c == 0xa0 || c == 0x1680
            || (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 || c == 0x202f || c == 0x205f || c == 0x3000;
    }

    private static String strip(String s) {
        int a = 0, b = s.length();
        while (a < b && isBlank(s.charAt(a))) a++;
        while (b > a && isBlank(s.charAt(b - 1))) b--;
        return s.substring(a, b);
    }

    private static final Pattern NUMBER =
        Pattern.compile("[+-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][+-]?[0-9]+)?");

    private static Object own(Map<String, Object> m, String k) {
        if (!m.containsKey(k)) throw new NoSuchElementException("missing key " + k);
        return m.get(k);
    }

    private static double toFloat(Object v) {
        if (v instanceof Number) return ((Number) v).doubleValue();
        if (v instanceof Boolean) return ((Boolean) v) ? 1.0 : 0.0;
        if (!(v instanceof String)) throw new ClassCastException("not a number");
        String s = strip((String) v);
        if (NUMBER.matcher(s).matches()) return Double.parseDouble(s);
        String low = s.toLowerCase(Locale.ROOT);
        if (low.matches("[+-]?inf(inity)?")) {
            return low.charAt(0) == '-' ? Double.NEGATIVE_INFINITY : Double.POSITIVE_INFINITY;
        }
        if (low.matches("[+-]?nan")) return Double.NaN;
        throw new NumberFormatException("not a number: " + s);
    }

    private static List<Double> floats(Object v) {
        List<Double> r = new ArrayList<>();
        for (Object e : (List<?>) v) r.add(toFloat(e));
        return r;
    }

    private static double[] turnPoint(double a, double b, int q) {
        switch (q) {
            case 1: return new double[] {b, -a};
            case 2: return new double[] {-a, -b};
            case 3: return new double[] {-b, a};
            default: return new double[] {a, b};
        }
    }

    private static double[] turnBox(double[] box, int q) {
        double[] p = turnPoint(box[0], box[1], q);
        double[] r = turnPoint(box[2], box[3], q);
        return new double[] {
            r[0] < p[0] ? r[0] : p[0], r[1] < p[1] ? r[1] : p[1],
            r[0] > p[0] ? r[0] : p[0], r[1] > p[1] ? r[1] : p[1]};
    }

    public static List<List<Double>> getrects(Map<String, Object> inheritable, Map<String, Object> pageinfo, long rotation) {
        List<Double> media = floats(own(inheritable, "MediaBox"));
        Object rawCrop = own(inheritable, "CropBox");
        boolean noCrop = rawCrop == null || (rawCrop instanceof List && ((List<?>) rawCrop).isEmpty());
        List<Double> crop = noCrop ? new ArrayList<>(media) : floats(rawCrop);
        Object view = own(pageinfo, "viewrect");
        List<List<Double>> out = new ArrayList<>();
        out.add(media);
        if (view == null) {
            out.add(crop);
            return out;
        }
        List<?> vr = (List<?>) view;
        if (vr.size() != 4) throw new IllegalArgumentException("viewrect is not four numbers");
        if (crop.size() < 4) throw new IllegalArgumentException("crop box of fewer than four numbers");
        double[] n = new double[4];
        for (int i = 0; i < 4; i++) n[i] = ((Number) vr.get(i)).doubleValue();
        int q = (int) Math.floorMod(rotation, 4L);
        double[] c = turnBox(new double[] {crop.get(0), crop.get(1), crop.get(2), crop.get(3)}, q);
        double L = c[0], B = c[1], R = c[2], T = c[3];
        double x = n[0], y = n[1], w = n[2], h = n[3];
        double least = Math.min(Math.min(x, y), Math.min(w, h));
        double most = Math.max(Math.max(x, y), Math.max(w, h));
        if (least >= 0 && most <= 1 && least != most) {
            x *= R - L;
            w *= R - L;
            y *= T - B;
            h *= T - B;
        }
        double left = L + x;
        double right = left + w;
        double top = T - y;
        double bottom = top - h;
        double[] box = turnBox(
            new double[] {Math.max(L, left), Math.max(B, bottom), Math.min(R, right), Math.min(T, top)}, (4 - q) % 4);
        out.add(new ArrayList<>(Arrays.asList(box[0], box[1], box[2], box[3])));
        return out;
    }
}
