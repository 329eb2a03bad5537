# Reads the JUnit file of a CTest run. mode=summary prints what ran and was skipped on each path;
# mode=counts prints three numbers: passed, failed, skipped.
#
# Test programs say "test cases: 12 ran, 1 skipped" and "SKIPPED: <test case>: <reason>"; any other
# test counts as one.

function attribute(name,    found) {
    match($0, name "=\"[^\"]*\"")
    found = substr($0, RSTART, RLENGTH)
    return substr(found, length(name) + 3, length(found) - length(name) - 3)
}

function plain(text) {
    gsub(/&lt;/, "<", text)
    gsub(/&gt;/, ">", text)
    gsub(/&quot;/, "\"", text)
    gsub(/&apos;/, "'", text)
    gsub(/&amp;/, "\\&", text)
    return text
}

/<testcase / {
    test = attribute("name")
    status = attribute("status")
    cases_ran = -1
    deliberate = 0
    path = test
    sub(/\..*/, "", path)
    if (path !~ /^(cpu|dynamic|cuda)$/) path = "other"
}

# A test that CTest could not start is "notrun" too, but not skipped on purpose.
/<skipped message="SKIP_/ { deliberate = 1 }

match($0, /(^|>)SKIPPED: /) {
    reasons[++reason_count] = test ": " plain(substr($0, RSTART + RLENGTH))
}

/(^|>)test cases: [0-9]+ ran, [0-9]+ skipped$/ {
    sub(/.*test cases: /, "")
    cases_ran = $1 + 0
    cases_skipped = $3 + 0
}

/<\/testcase>/ {
    result = status == "run" ? "passed" : status == "notrun" && deliberate ? "skipped" : "failed"
    total[result]++
    if (result == "failed") failed[path]++
    if (cases_ran >= 0) {
        ran[path] += cases_ran
        skipped[path] += cases_skipped
    } else if (result == "skipped") {
        skipped[path]++
    } else {
        ran[path]++
    }
}

function row(name, path) {
    printf "%-36s %6d %8d %7d\n", name, ran[path], skipped[path], failed[path]
}

END {
    if (mode == "counts") {
        print total["passed"] + 0, total["failed"] + 0, total["skipped"] + 0
        exit
    }
    printf "%-36s %6s %8s %7s\n", "test cases", "ran", "skipped", "failed"
    row("CPU path", "cpu")
    row("dynamic path", "dynamic")
    row("CUDA path, over a simulated runtime", "cuda")
    row("packaging, headers, examples, others", "other")
    for (i = 1; i <= reason_count; ++i) print "  skipped: " reasons[i]
}
