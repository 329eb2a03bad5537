# Google Benchmark's CSV: medians in order, and the ratio of x/devmem to x/raw for each x.
BEGIN { FS = "," }
$1 ~ /_median"?$/ {
    name = $1
    gsub(/"/, "", name)
    sub(/(\/real_time|\/manual_time|\/iterations:[0-9]+)*_median$/, "", name)
    gsub(/\/iterations:[0-9]+|\/manual_time|\/real_time/, "", name)
    median[name] = $3
    unit = $5
    printf "%-24s %14.1f %s\n", name, $3, unit
}
END {
    for (name in median) {
        if (name !~ /\/devmem$/) continue
        raw = name
        sub(/devmem$/, "raw", raw)
        printf "ratio %-18s %14.3f\n", substr(name, 1, length(name) - 7), median[name] / median[raw]
    }
}
