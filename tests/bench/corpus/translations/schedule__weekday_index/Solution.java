import java.util.List;

class Solution {
    static long weekday_index(String day) {
        int place = List.of("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday").indexOf(day);
        if (place < 0) throw new IllegalArgumentException(day);
        return place;
    }
}
