package touchstone;

import java.lang.reflect.GenericArrayType;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.lang.reflect.WildcardType;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What the declarations say that the virtual machine leaves out: the type arguments of a type, and those of its parents. */
final class Types {
    private Types() {}

    /** A generic type with its arguments. */
    private record Generic(Class<?> raw, List<Type> arguments) implements ParameterizedType {
        @Override
        public Type[] getActualTypeArguments() {
            return arguments.toArray(Type[]::new);
        }

        @Override
        public Type getRawType() {
            return raw;
        }

        @Override
        public Type getOwnerType() {
            return raw.getDeclaringClass();
        }
    }

    private record ArrayOf(Type getGenericComponentType) implements GenericArrayType {}

    static Class<?> raw(Type type) {
        return switch (type) {
            case Class<?> plain -> plain;
            case ParameterizedType generic -> (Class<?>) generic.getRawType();
            case GenericArrayType array -> raw(array.getGenericComponentType()).arrayType();
            case TypeVariable<?> variable -> raw(variable.getBounds()[0]);
            case WildcardType wildcard -> raw(bound(wildcard));
            default -> Object.class;
        };
    }

    /** What a wildcard must be able to hold: `? super Long` a `Long`. */
    static Type bound(WildcardType wildcard) {
        Type[] lower = wildcard.getLowerBounds();
        return lower.length > 0 ? lower[0] : wildcard.getUpperBounds()[0];
    }

    /** A type that stands in the declaration of `owner`, or of a parent of it, with the arguments that `owner` has there. */
    static Type within(Type type, Type owner, Class<?> declaring) {
        return bind(type, bindings(asParent(owner, declaring)));
    }

    /** The argument of a parent: of `ArrayList<Long>` as `Iterable` it is `Long`; `Object` where nothing says. */
    static Type argument(Type type, Class<?> parent, int index) {
        Type found = asParent(type, parent);
        return found instanceof ParameterizedType generic ? generic.getActualTypeArguments()[index] : Object.class;
    }

    private static Type asParent(Type type, Class<?> parent) {
        Class<?> raw = raw(type);
        if (raw == parent) return type;
        Map<TypeVariable<?>, Type> bindings = bindings(type);
        for (Type above : raw.getGenericInterfaces()) {
            if (parent.isAssignableFrom(raw(above))) return asParent(bind(above, bindings), parent);
        }
        Type above = raw.getGenericSuperclass();
        return above == null || !parent.isAssignableFrom(raw(above)) ? parent : asParent(bind(above, bindings), parent);
    }

    private static Map<TypeVariable<?>, Type> bindings(Type type) {
        Map<TypeVariable<?>, Type> found = new HashMap<>();
        TypeVariable<?>[] parameters = raw(type).getTypeParameters();
        for (int i = 0; i < parameters.length; i++) {
            // A class without its arguments holds what their bounds say.
            found.put(parameters[i], type instanceof ParameterizedType generic ? generic.getActualTypeArguments()[i] : raw(parameters[i]));
        }
        return found;
    }

    private static Type bind(Type type, Map<TypeVariable<?>, Type> bindings) {
        if (bindings.isEmpty()) return type;
        return switch (type) {
            case TypeVariable<?> variable -> bindings.getOrDefault(variable, variable);
            case ParameterizedType generic -> new Generic(
                raw(generic), Arrays.stream(generic.getActualTypeArguments()).map(argument -> bind(argument, bindings)).toList()
            );
            case GenericArrayType array -> new ArrayOf(bind(array.getGenericComponentType(), bindings));
            case WildcardType wildcard -> bind(bound(wildcard), bindings);
            default -> type;
        };
    }
}
