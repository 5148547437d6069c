// what: an object that equals everything
// control: program_equals
// held: raised UnportableError
public class Solution {
    static class Yes extends Number {
        public int intValue() { return 38; }
        public long longValue() { return 38; }
        public float floatValue() { return 38; }
        public double doubleValue() { return 38; }
        @Override public boolean equals(Object other) { return true; }
        @Override public int hashCode() { return 0; }
    }

    public static Object f(int x) {
        return new Yes();
    }
}
