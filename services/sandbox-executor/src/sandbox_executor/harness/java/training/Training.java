import java.util.*;
import java.util.function.*;
import java.util.stream.*;

/** Uses what candidates usually use, so that the cache of classes holds it. Never a part of any verdict. */
public class Training {
    record Point(int x, String name) {}

    enum Kind { FIRST, SECOND }

    interface Shape {
        double area();
    }

    static class Square implements Shape {
        private final double side;

        Square(double side) {
            this.side = side;
        }

        @Override
        public double area() {
            return side * side;
        }
    }

    public static Object train(Object any, List<String> words, int[] numbers, Map<String, List<Integer>> table, double real, String text, long count,
            Set<Integer> set, Integer maybe) {
        Map<String, Integer> counts = new HashMap<>();
        for (String word : words) counts.merge(word, 1, Integer::sum);
        List<Point> points = words.stream().filter(word -> !word.isEmpty()).map(word -> new Point(word.length(), word)).collect(Collectors.toList());
        points.sort(Comparator.comparingInt(Point::x).thenComparing(Point::name));
        StringBuilder out = new StringBuilder();
        for (int i = 0; i < numbers.length; i++) out.append(numbers[i]).append(i % 2 == 0 ? ',' : ';');
        switch (text.length()) {
            case 0 -> throw new IllegalArgumentException("empty " + String.format("%d %.2f %s", count, real, text));
            case 1 -> out.append("one");
            default -> out.append(text.toUpperCase().replace('A', 'b').split("[, ]+").length);
        }
        Deque<Integer> queue = new ArrayDeque<>(set);
        PriorityQueue<Integer> heap = new PriorityQueue<>(set);
        TreeMap<String, Integer> sorted = new TreeMap<>(counts);
        Function<Integer, Integer> twice = x -> x * 2;
        Optional<Integer> found = Arrays.stream(numbers).boxed().map(twice).filter(x -> x > 2).findFirst();
        Shape shape = new Square(real);
        long[][] grid = new long[3][3];
        for (long[] row : grid) Arrays.fill(row, count);
        Object[] all = {sorted, points, out.toString(), shape.area(), count, any, table, set, Kind.SECOND, numbers, maybe, found, grid, queue.size(), heap.peek()};
        return Arrays.asList(all);
    }
}
