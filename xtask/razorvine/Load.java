// Loads pickles in Razorvine's Java library and prints what it read. See README.md.
//
// stdin:  records of a big-endian u32 length and that many bytes of pickle
// stdout: for each a line of ASCII: `ok <canonical form>`, `err <exception>: <message>`, or `unprinted <reason>` (it loaded, but has
//         no canonical form: too long, too deep, or a value that Java itself cannot use)

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.OutputStream;
import java.lang.reflect.Array;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Calendar;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TimeZone;

import net.razorvine.pickle.IObjectConstructor;
import net.razorvine.pickle.PythonException;
import net.razorvine.pickle.Unpickler;
import net.razorvine.pickle.objects.ClassDict;
import net.razorvine.pickle.objects.ComplexNumber;
import net.razorvine.pickle.objects.Time;
import net.razorvine.pickle.objects.TimeDelta;
import net.razorvine.pickle.objects.Tzinfo;

public class Load {
    static final long STACK = 512L << 20;
    /** The longest canonical form, and the most characters moved to sort the entries of one. */
    static final int LIMIT = 1 << 26;
    static final long MOVES = 1L << 30;

    public static void main(String[] args) throws InterruptedException {
        // times without a zone are read in the default one
        TimeZone.setDefault(TimeZone.getTimeZone("UTC"));
        int[] status = {2};
        Thread thread = new Thread(null, () -> status[0] = run(), "load", STACK);
        thread.start();
        thread.join();
        System.exit(status[0]);
    }

    static int run() {
        try (DataInputStream in = new DataInputStream(new BufferedInputStream(System.in, 1 << 16));
                OutputStream out = new BufferedOutputStream(System.out, 1 << 16)) {
            while (true) {
                int first = in.read();
                if (first < 0) {
                    return 0;
                }
                int length = first << 24 | in.readUnsignedByte() << 16 | in.readUnsignedShort();
                if (length < 0) {
                    throw new EOFException("a record over 2 GiB");
                }
                byte[] pickle = in.readNBytes(length);
                if (pickle.length != length) {
                    throw new EOFException("a record cut short");
                }
                out.write((line(pickle) + "\n").getBytes(StandardCharsets.US_ASCII));
            }
        } catch (Exception error) {
            System.err.println("Load: " + error);
            return 2;
        }
    }

    static String line(byte[] pickle) {
        Object value;
        try {
            value = new Reader().loads(pickle);
        } catch (Throwable error) {
            String message = error.getMessage();
            return "err " + error.getClass().getSimpleName() + ": " + (message == null ? "" : escaped(message).replace("\\x22", "\""));
        }
        try {
            Printer printer = new Printer();
            printer.standalone(value);
            return "ok " + printer.out;
        } catch (TooLong error) {
            return "unprinted too long";
        } catch (Throwable error) {
            // also a value that Java made and cannot use, such as a Calendar without a zone
            return "unprinted " + error.getClass().getSimpleName();
        }
    }

    /** Keeps persistent ids. The parameter is a String up to release 1.3, an Object since. */
    static class Reader extends Unpickler {
        protected Object persistentLoad(String id) {
            return new Persistent(id);
        }

        protected Object persistentLoad(Object id) {
            return new Persistent(id);
        }
    }

    static class Persistent {
        final Object id;

        Persistent(Object id) {
            this.id = id;
        }
    }

    static class TooLong extends RuntimeException {
        private static final long serialVersionUID = 1;

        TooLong() {
            super(null, null, false, false);
        }
    }

    static class Printer {
        final StringBuilder out = new StringBuilder();
        /** The maps and sets being printed. */
        final Set<Object> open = Collections.newSetFromMap(new IdentityHashMap<>());
        Map<Object, Integer> labels;
        long moved;

        /** A value with labels of its own. */
        void standalone(Object value) {
            Map<Object, Integer> outer = labels;
            labels = null;
            value(value);
            labels = outer;
        }

        void value(Object value) {
            if (out.length() > LIMIT) {
                throw new TooLong();
            }
            if (value == null) {
                out.append("None");
            } else if (value instanceof Boolean flag) {
                out.append(flag ? "True" : "False");
            } else if (value instanceof Integer || value instanceof Long || value instanceof BigInteger || value instanceof Short
                    || value instanceof Byte) {
                out.append(value);
            } else if (value instanceof Double || value instanceof Float) {
                real(((Number) value).doubleValue());
            } else if (value instanceof String || value instanceof Character) {
                quoted("s", utf8(value.toString()));
            } else if (value instanceof byte[] bytes) {
                quoted("b", bytes);
            } else if (value instanceof List<?> list) {
                if (labelled(value)) {
                    items("[", list.toArray(), "]");
                }
            } else if (value instanceof Object[] items) {
                if (items.length == 0) {
                    out.append("()");
                } else if (labelled(value)) {
                    items("(", items, ")");
                }
            } else if (value instanceof Map<?, ?> map) {
                map(map);
            } else if (value instanceof Set<?> set) {
                set(set);
            } else if (value instanceof Persistent persistent) {
                out.append("pid(");
                value(persistent.id);
                out.append(')');
            } else if (value.getClass().isArray()) {
                array(value);
            } else {
                object(value);
            }
        }

        void real(double value) {
            out.append(Double.isNaN(value) ? "f:nan" : String.format("f:%016x", Double.doubleToRawLongBits(value)));
        }

        void quoted(String prefix, byte[] bytes) {
            out.append(prefix).append('"');
            escape(out, bytes);
            out.append('"');
        }

        /** Writes a container's label; whether what is in it comes next. */
        boolean labelled(Object container) {
            if (labels == null) {
                labels = new IdentityHashMap<>();
            }
            Integer label = labels.get(container);
            if (label != null) {
                out.append('#').append(label);
                return false;
            }
            labels.put(container, labels.size() + 1);
            out.append('#').append(labels.size()).append('=');
            return true;
        }

        void items(String before, Object[] items, String after) {
            out.append(before);
            for (int i = 0; i < items.length; i++) {
                out.append(i == 0 ? "" : ", ");
                value(items[i]);
            }
            out.append(after);
        }

        void map(Map<?, ?> map) {
            if (open.contains(map)) {
                out.append("#map");
            } else if (labelled(map)) {
                open.add(map);
                out.append(map instanceof ClassDict ? "class{" : "{");
                int start = out.length();
                List<Integer> ends = new ArrayList<>();
                for (Map.Entry<?, ?> entry : map.entrySet()) {
                    standalone(entry.getKey());
                    out.append(": ");
                    standalone(entry.getValue());
                    ends.add(out.length());
                }
                sort(start, ends);
                out.append('}');
                open.remove(map);
            }
        }

        void set(Set<?> set) {
            if (open.contains(set)) {
                out.append("#set");
            } else if (labelled(set)) {
                open.add(set);
                out.append("set{");
                int start = out.length();
                List<Integer> ends = new ArrayList<>();
                for (Object element : set) {
                    standalone(element);
                    ends.add(out.length());
                }
                sort(start, ends);
                out.append('}');
                open.remove(set);
            }
        }

        /** Sorts the texts that stand one after the other from `start`, and puts commas between. */
        void sort(int start, List<Integer> ends) {
            if (ends.size() < 2) {
                return;
            }
            moved += out.length() - start;
            if (moved > MOVES || out.length() > LIMIT) {
                throw new TooLong();
            }
            List<String> texts = new ArrayList<>();
            int at = start;
            for (int end : ends) {
                texts.add(out.substring(at, end));
                at = end;
            }
            Collections.sort(texts);
            out.setLength(start);
            for (int i = 0; i < texts.size(); i++) {
                out.append(i == 0 ? "" : ", ").append(texts.get(i));
            }
        }

        /** An array of primitives, other than bytes. */
        void array(Object array) {
            out.append("array<").append(array.getClass().getComponentType().getName()).append('>');
            if (array instanceof char[] chars) {
                quoted("", utf8(new String(chars)));
                return;
            }
            Object[] items = new Object[Array.getLength(array)];
            for (int i = 0; i < items.length; i++) {
                items[i] = Array.get(array, i);
            }
            items("[", items, "]");
        }

        void object(Object value) {
            if (value instanceof BigDecimal decimal) {
                out.append("decimal(").append(decimal).append(')');
            } else if (value instanceof Calendar calendar) {
                String zone = escaped(calendar.getTimeZone().getID());
                out.append("calendar(").append(calendar.getTimeInMillis()).append(',').append(zone).append(')');
            } else if (value instanceof Time time) {
                out.append("time(").append(time.hours).append(',').append(time.minutes).append(',').append(time.seconds).append(',');
                out.append(time.microseconds).append(')');
            } else if (value instanceof TimeDelta delta) {
                out.append("timedelta(").append(delta.days).append(',').append(delta.seconds).append(',');
                out.append(delta.microseconds).append(')');
            } else if (value instanceof ComplexNumber complex) {
                out.append("complex(");
                real(complex.getReal());
                out.append(',');
                real(complex.getImaginary());
                out.append(')');
            } else if (value instanceof TimeZone zone) {
                out.append("tz(").append(escaped(zone.getID())).append(')');
            } else if (value instanceof Tzinfo tzinfo) {
                TimeZone zone = tzinfo.getTimeZone();
                out.append("tzinfo(").append(zone == null ? "" : escaped(zone.getID())).append(')');
            } else if (value instanceof PythonException exception) {
                String type = exception.pythonExceptionType;
                out.append("exception(").append(type == null ? "" : escaped(type)).append(',');
                value(exception.getMessage());
                if (exception._pyroTraceback != null) {
                    out.append(',');
                    value(exception._pyroTraceback);
                }
                out.append(')');
            } else if (value instanceof IObjectConstructor) {
                out.append("constructor");
            } else {
                out.append("other(").append(value.getClass().getName()).append(')');
            }
        }
    }

    static String escaped(String text) {
        StringBuilder out = new StringBuilder();
        escape(out, utf8(text));
        return out.toString();
    }

    static void escape(StringBuilder out, byte[] bytes) {
        for (byte b : bytes) {
            if (b >= ' ' && b <= '~' && b != '"' && b != '\\') {
                out.append((char) b);
            } else {
                out.append("\\x").append(Character.forDigit(b >> 4 & 15, 16)).append(Character.forDigit(b & 15, 16));
            }
        }
    }

    /** UTF-8, in which a lone surrogate has the three bytes of its code point (Python's "surrogatepass"). */
    static byte[] utf8(String text) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(text.length());
        text.codePoints().forEach(point -> {
            if (point < 0x80) {
                out.write(point);
                return;
            }
            if (point < 0x800) {
                out.write(0xc0 | point >> 6);
            } else {
                if (point < 0x10000) {
                    out.write(0xe0 | point >> 12);
                } else {
                    out.write(0xf0 | point >> 18);
                    out.write(0x80 | point >> 12 & 63);
                }
                out.write(0x80 | point >> 6 & 63);
            }
            out.write(0x80 | point & 63);
        });
        return out.toByteArray();
    }
}
