# Of a disassembly and the compiler's report of frames: the bytes of the deepest chain of calls, and the chain.
BEGIN {
    while ((getline line < usage) > 0) {
        split(line, part, "\t")
        sub(/.*:/, "", part[1])
        frame[part[1]] = part[2] + 8 # with the return address
    }
}
/^[0-9a-f]+ <.*>:$/ {
    caller = $2
    gsub(/[<>:]|\.[0-9]+>/, "", caller)
}
/(call|jmp) .*<[A-Za-z0-9_.]+>/ || /R_X86_64_(PLT32|PC32)/ {
    callee = $NF
    gsub(/[<>]/, "", callee)
    sub(/[-+]0x[0-9a-f]+$/, "", callee)
    sub(/\.[0-9]+$/, "", callee)
    if (callee != caller && callee in frame && / jmp /)
        jumps[caller] = jumps[caller] " " callee # a last call, made when the caller's frame is gone
    else if (callee != caller && callee in frame)
        calls[caller] = calls[caller] " " callee
}
function deepest(name,    list, n, i, most, best) {
    if (name in depth)
        return depth[name]
    n = split(calls[name], list, " ")
    for (i = 1; i <= n; i++) {
        if (deepest(list[i]) > most) {
            most = depth[list[i]]
            best = list[i]
        }
    }
    most += frame[name]
    n = split(jumps[name], list, " ")
    for (i = 1; i <= n; i++) {
        if (deepest(list[i]) > most) {
            most = depth[list[i]]
            best = list[i]
        }
    }
    next_of[name] = best
    depth[name] = most
    return most
}
END {
    for (name in frame) {
        if (deepest(name) > most) {
            most = depth[name]
            first = name
        }
    }
    printf "%d bytes (", most
    for (name = first; name != ""; name = next_of[name])
        printf "%s%s", name, next_of[name] == "" ? ")\n" : " > "
}
