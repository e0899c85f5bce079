"""Writes what LLDB knows of the variables of each thread's innermost function, inlined calls included."""
import json
import os
import lldb

MAX_CHILDREN = 6


def describe(value, depth):
    value = value.GetNonSyntheticValue()
    error = value.GetError()
    kind = value.GetType()
    result = {
        "name": value.GetName(),
        "type": kind.GetName(),
        "value": value.GetValue(),
        "error": error.GetCString() if error.Fail() else None,
    }
    is_pointer = kind.GetCanonicalType().IsPointerType()
    if depth > 0 and not is_pointer:
        count = min(value.GetNumChildren(MAX_CHILDREN), MAX_CHILDREN)
        result["children"] = [describe(value.GetChildAtIndex(at), depth - 1) for at in range(count)]
    return result


def in_function(frame):
    """The names of the statics in the blocks around the frame's address; others are those of the file."""
    names = set()
    block = frame.GetBlock()
    while block.IsValid():
        for value in block.GetVariables(frame, False, False, True, lldb.eNoDynamicValues):
            names.add(value.GetName())
        if block.IsInlined():
            break
        block = block.GetParent()
    return names


def line_of(value):
    line = value.GetDeclaration().GetLine()
    return 0 if line == 0xFFFFFFFF else line


def variables(frame):
    own = in_function(frame)
    options = lldb.SBVariablesOptions()
    options.SetIncludeArguments(True)
    options.SetIncludeLocals(True)
    options.SetIncludeStatics(True)
    options.SetInScopeOnly(True)
    # Otherwise `self` and `_cmd` are left out: the core has no runtime of Objective-C.
    options.SetIncludeRuntimeSupportValues(True)
    found = frame.GetVariables(options)
    outside = (lldb.eValueTypeVariableGlobal, lldb.eValueTypeVariableStatic)
    outside += (lldb.eValueTypeVariableThreadLocal,)
    return [
        dict(describe(value, 3), line=line_of(value))
        for value in found
        # `::name` is outside of all functions.
        if not (value.GetName() or "").startswith("::")
        and (value.GetValueType() not in outside or value.GetName() in own)
    ]


def dump(core, output, program, whole):
    debugger = lldb.SBDebugger.Create()
    debugger.SetAsync(False)
    debugger.HandleCommand("settings set symbols.enable-external-lookup false")
    debugger.HandleCommand("settings set target.prefer-dynamic-value no-dynamic-values")
    target = debugger.CreateTarget(program)
    name = program.split("/")[-1]
    debugger.HandleCommand(
        f"target symbols add -s {program} {program}.dSYM/Contents/Resources/DWARF/{name}"
    )
    process = target.LoadCore(core)
    for module in target.module_iter():
        path = module.GetFileSpec().fullpath or ""
        bundle = f"{path}.dSYM/Contents/Resources/DWARF/{path.split('/')[-1]}"
        if path != program and os.path.exists(bundle):
            debugger.HandleCommand(f"target symbols add -s {path} {bundle}")
    threads = []
    for thread in process:
        frames = []
        for frame in thread:
            frames.append({
                "pc": frame.GetPC(),
                "function": frame.GetFunctionName(),
                "variables": variables(frame),
            })
            if not whole and not frame.IsInlined():
                break
        threads.append(frames)
    with open(output, "w") as file:
        json.dump(threads, file)
