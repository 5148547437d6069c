// The weak judge of Java programs: asserts and candidate share a process.
class Main {
    public static void main(String[] arguments) {
        if (!((Object) Solution.f(1)).equals(38)) throw new AssertionError("wrong");
    }
}
