import java.util.List;

class Solution {
    static Object lget(List<Long> lst, long index, String other) {
        long place = index < 0 ? index + lst.size() : index;
        return place >= 0 && place < lst.size() ? lst.get((int) place) : other;
    }
}
