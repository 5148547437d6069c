class Solution {
    static String make_version(long major, long minor, long micro, String releaselevel, long serial, long dev) {
        String version = major + "." + minor + "." + micro;
        switch (releaselevel) {
            case "final":
                break;
            case "alpha":
                version += "a" + serial;
                break;
            case "beta":
                version += "b" + serial;
                break;
            case "candidate":
                version += "rc" + serial;
                break;
            default:
                throw new IllegalArgumentException("unknown release level: " + releaselevel);
        }
        if (dev != 0) version += ".dev" + dev;
        return version;
    }
}
