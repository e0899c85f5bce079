/** What stands between two languages, or between a language and its own library: functions that throw, call or copy for
 * code in it. Whose a crash is is decided by what called them, or by what they called. */

import type { KnowledgeRow } from "./row.ts";

/** Where the names are documented, then functions. */
type Family = readonly [source: string, ...keys: readonly string[]];

/** What throws for managed code, which calls it and may have no names. */
const throwers: readonly Family[] = [
  [
    ".NET, src/coreclr/vm/jithelpers.cpp and exceptionhandling.cpp",
    ...["ThrowNew(Object*)*", "IL_Throw", "IL_Throw(*", "IL_ThrowExact*", "IL_Rethrow*"],
    ...["JIT_Throw*", "JIT_RngChkFail*", "JIT_Overflow*"],
    ...["COMPlusThrow*", "RealCOMPlusThrow*", "RaiseTheException*", "ProcessCLRException*"],
    ...["UnwindAndContinueRethrowHelper*", "SfiInit*", "SfiNext*"],
  ],
  [
    "Mono, mono/mini/mini-exceptions.c, llvm-runtime.cpp and metadata/exception.c",
    ...["mono_arm_throw_exception*", "mono_amd64_throw_exception*", "mono_raise_exception*"],
    ...["mono_reraise_exception*", "mono_llvm_throw_*", "mono_llvm_rethrow_*"],
    ...["mono_llvm_resume_*", "mono_llvm_cpp_throw_*"],
  ],
];

/** What throws or calls for code that has names of its own. */
const callers: readonly Family[] = [
  [
    ".NET, src/coreclr/vm/callhelpers.cpp and threads.cpp",
    ...["CallDescrWorker*", "MethodDescCallSite::CallTargetWorker*", "DispatchCallSimple*"],
    ...["DispatchCallBody*", "ManagedThreadBase_*", "UMThunkStub*", "ThePreStub*"],
  ],
  [
    ".NET native AOT, src/coreclr/nativeaot/Runtime and Runtime.Base; mangled names of its own assemblies",
    ...["RhpThrow*", "RhpRethrow*", "RhThrow*", "RhRethrow*", "RhpCall*", "RhpFallbackFailFast*"],
    ...["S_P_CoreLib_*", "S_P_TypeLoader_*", "S_P_Reflection_*", "S_P_StackTraceMetadata_*"],
  ],
  [
    "Unity, what IL2CPP's code calls methods and throws by: libil2cpp/codegen and vm",
    ...["il2cpp_codegen_raise_exception*", "il2cpp_codegen_rethrow_exception*"],
    ...["RuntimeInvoker_*", "InvokerActionInvoker*", "InvokerFuncInvoker*"],
    ...["VirtActionInvoker*", "VirtFuncInvoker*", "VirtualActionInvoker*", "VirtualFuncInvoker*"],
    ...["InterfaceActionInvoker*", "InterfaceFuncInvoker*"],
    ...["GenericVirtActionInvoker*", "GenericVirtFuncInvoker*", "GenericInterfaceFuncInvoker*"],
    ...["GenericVirtualActionInvoker*", "GenericVirtualFuncInvoker*"],
  ],
  [
    "Unity, Runtime/Scripting and Runtime/Mono: how the engine calls scripts",
    ...["ScriptingInvocation::*", "scripting_method_invoke*", "scripting_raise_exception*"],
    ...["MonoBehaviour::InvokeMethodOrCoroutineChecked*", "MonoBehaviour::CallMethodIfAvailable*"],
    ...["MonoBehaviour::CallUpdateMethod*"],
  ],
  [
    "sip and PyQt: siplib/siplib.c, and what sip generates for classes of Qt",
    ...["sip_api_*", "sipVH_*", "sipMethodDescr_*", "sipSimpleWrapper_*", "sipWrapper_*", "sipQ*"],
    ...["meth_Q*", "slot_Q*", "init_type_Q*", "release_Q*", "dealloc_Q*"],
  ],
  [
    "Shiboken and PySide: sources/shiboken6/libshiboken",
    ...["Shiboken::*", "PySide::*", "Sbk_*", "SbkObject_*", "SbkDeallocWrapper*"],
  ],
  ["pybind11, include/pybind11", "pybind11::*"],
  ["nanobind, src/nb_func.cpp", "nanobind::*", "nb_func_*"],
  ["SWIG, Lib/python and others", "_wrap_*", "SWIG_*", "SwigPyObject_*", "SwigPyPacked_*"],
  ["Cython, Cython/Utility", "__Pyx_*"],
  [
    "ctypes and cffi: CPython, Modules/_ctypes; cffi, src/c/_cffi_backend.c",
    ...["_ctypes_callproc*", "_call_function_pointer*", "PyCFuncPtr_*", "_CallPythonObject*"],
    ...["closure_fcn*", "cdata_call*", "_cffi_f_*"],
  ],
  ["PyObjC, Modules/objc", "PyObjCFFI_*", "PyObjCSelector_*"],
  ["libffi, src", "ffi_call*", "ffi_closure_*"],
  ["PyO3, src/impl_", "pyo3::*"],
  [
    "Go, cmd/cgo: what it generates; runtime/cgo and runtime/cgocall.go",
    ...["_cgo_*", "_cgoexp_*", "x_cgo_*", "crosscall2*", "crosscall_*"],
    ...["runtime.cgocall*", "runtime/cgo.*"],
    // They change the stack: what called them is not on it.
    ...["runtime.systemstack*", "runtime.mcall*", "runtime.morestack*", "runtime.mstart*"],
  ],
  [
    "JNI's calls in C++, JNA, fbjni and Djinni: jni.h, native/dispatch.c, cxx/fbjni, support-lib",
    ...["_JNIEnv::*", "JNIEnv_::*", "Java_com_sun_jna_*", "facebook::jni::*", "djinni::*"],
    // SWT's own calls of Cocoa; LWJGL's and JOGL's of OpenGL and others.
    ...["Java_org_eclipse_swt_*", "Java_org_lwjgl_*", "Java_jogamp_*", "Java_com_jogamp_*"],
  ],
  [
    "Node.js's calls of native add-ons: src/js_native_api_v8.cc, node-addon-api, nan, napi-rs",
    ...["napi_*", "v8impl::*", "Napi::*", "Nan::*", "napi::*"],
  ],
  [
    "Expo's and Nitro's calls of modules: packages/expo-modules-core, react-native-nitro-modules",
    ...["expo::*", "margelo::nitro::*"],
  ],
  [
    "Rust's bindings: the crates uniffi, cxx, jni, and what they generate",
    ...["uniffi_*", "uniffi::*", "cxxbridge1$*", "cxx::*", "jni::*", "__swift_bridge__$*"],
  ],
  [
    "Rust's crates that load and unload libraries: libloading, src/os/unix; dlopen2",
    ...["libloading::*", "_$LT$libloading..*", "<libloading::*", "_<libloading::*", "dlopen2::*"],
  ],
  ["R's bindings of C++: the packages Rcpp and cpp11", "Rcpp::*", "cpp11::*"],
  [
    "OCaml, runtime/fail.c, callback.c and the assembly files",
    ...["caml_raise*", "caml_callback*", "caml_start_program*", "caml_c_call*", "caml_main*"],
    ...["caml_startup*", "caml_exn_*"],
  ],
  [
    "Kotlin/Native: the compiler's bridges to Objective-C and C, ObjCExportCodeGenerator.kt, CBridgeGen.kt and StubIrElementBuilders.kt; runtime, Exceptions.cpp",
    ...["objc2kotlin_*", "kotlin2objc_*", "knifunptr_*", "knbridge*", "ThrowException"],
  ],
  [
    "Lua, ldo.c and ldebug.c: what throws its errors and runs protected calls",
    ...["luaD_throw*", "luaD_rawrunprotected*", "luaD_pcall*", "luaG_runerror*"],
    ...["luaG_errormsg*", "luaG_typeerror*", "lua_error", "luaL_error", "luaL_argerror"],
    ...["luaL_typeerror", "lj_err_*"],
  ],
  [
    "Unreal Engine, UObject/ScriptCore.cpp and the platforms' misc files",
    ...["UObject::ProcessEvent*", "UObject::ProcessInternal*", "UObject::CallFunction*"],
    ...["UFunction::Invoke*", "FGenericPlatformMisc::RaiseException*"],
  ],
  [
    "Godot, core/object, core/variant and modules/gdscript",
    ...["Object::callp*", "Callable::callp*", "Variant::callp*", "GDScriptFunction::call*"],
    ...["GDScriptInstance::callp*", "Object::emit_signalp*", "Node::_call_input*"],
    "Node::_gdvirtual_*",
  ],
];

/** What copies or compares memory for whoever calls it: what it was given is at fault. */
const copiers: readonly Family[] = [
  ["Go, src/runtime/memmove_arm64.s and mbarrier.go", "runtime.memmove*", "runtime.memclr*"],
  [
    "Go, src/runtime/mbarrier.go",
    "runtime.typedmemmove*",
    "runtime.duffcopy*",
    "runtime.memequal*",
  ],
  ["Unity, libil2cpp/icalls: what .NET's own methods are made of", "il2cpp::icalls::*"],
  ["Unity, libil2cpp/codegen", "il2cpp_codegen_memcpy*", "il2cpp_codegen_memset*"],
  [".NET, src/coreclr/vm", "JIT_MemCpy*", "JIT_MemSet*", "memmoveGCRefs*"],
  ["Mono, mono/metadata/memfuncs.c", "mono_gc_memmove*", "mono_gc_bzero*", "mono_value_copy*"],
  [
    "Kotlin/Native, runtime/src/main/cpp/Arrays.cpp",
    ...["", "Byte", "Char", "Short", "Int", "Long", "Float", "Double", "Boolean"].map((type) =>
      `Kotlin_${type}Array_copyImpl*`
    ),
  ],
  ["Unreal Engine, HAL/UnrealMemory.h", "FMemory::Mem*", "FGenericPlatformString::*"],
  ["OCaml, runtime/str.c and array.c", "caml_blit_*", "caml_array_blit*"],
];

/** Run-times and engines that are linked into the programs that use them: whose they are, where they are documented. */
const linkedEngines = [
  ["V8", "V8, include and src", "v8::*", "Builtins_*"],
  ["JavaScriptCore", "WebKit, Source/JavaScriptCore and Source/WTF", "JSC::*", "WTF::*"],
  [
    "QuickJS",
    "QuickJS, quickjs.c",
    ...["JS_CallInternal*", "JS_CallFree*", "JS_EvalInternal*", "__JS_EvalInternal*"],
    ...["JS_EvalFunction*", "JS_EvalThis*", "js_call_c_function*", "async_func_resume*"],
    ...["JS_ExecutePendingJob*", "JS_InvokeFree*", "JS_FreeValueRT*", "__JS_FreeValue*"],
    ...["JS_Throw*", "free_zero_refcount*", "gc_decref_child*"],
  ],
  ["Duktape", "Duktape, src-input", "duk_*"],
  ["Haxe's run-time (hxcpp)", "hxcpp, src/hx", "hx::*", "__hxcpp_*", "hxcpp_*", "__hx_*"],
  ["Flutter", "engine: third_party/tonic, impeller; Dart, runtime/vm", "tonic::*", "impeller::*"],
  ["Flutter", "Dart, runtime/include/dart_api.h", "Dart_*"],
  ["OCaml's run-time", "OCaml, runtime", "caml_*"],
  ["Erlang's run-time", "Erlang/OTP, erts/emulator/beam", "erts_*"],
] as const;

/** Files of libraries that only call others, with what they were given. */
const files: readonly (readonly [string, string, ...string[]])[] = [
  [
    "Python's calls of C (ctypes, cffi, PyObjC)",
    "CPython, Modules/_ctypes; cffi; PyObjC, Modules/objc",
    ...["_ctypes.*", "_cffi_backend.*", "_objc.cpython*", "_objc.so"],
  ],
  ["libffi", "libffi", "libffi.*", "libffi-trampolines.*"],
  ["Ruby's calls of C (fiddle, ffi)", "Ruby, ext/fiddle; the gem ffi", "fiddle.*", "ffi_c.*"],
  ["Java's calls of C (JNA)", "JNA, native", "libjnidispatch.*"],
  ["SWT's calls of Cocoa", "Eclipse, bundles/org.eclipse.swt", "libswt-*"],
  ["Erlang's run-time", "Erlang/OTP, erts", "beam.smp"],
];

function part(source: string, key: string): KnowledgeRow {
  return { kind: "frame", key, meaning: "", causes: [], next: "", source, role: "raise" };
}

/** See {@linkcode KnowledgeRow}. */
export const bindingRows = (): readonly KnowledgeRow[] => [
  ...throwers.flatMap(([source, ...keys]) =>
    keys.map((key): KnowledgeRow => ({ ...part(source, key), throwsManaged: true }))
  ),
  ...[...callers, ...copiers].flatMap(([source, ...keys]) => keys.map((key) => part(source, key))),
  ...linkedEngines.flatMap(([framework, source, ...keys]) =>
    keys.map((key): KnowledgeRow => ({ ...part(source, key), role: "part", framework }))
  ),
  ...files.flatMap(([meaning, source, ...keys]) =>
    keys.map((key): KnowledgeRow => ({
      ...{ kind: "library", key, meaning, causes: [], next: "", source },
    }))
  ),
];
