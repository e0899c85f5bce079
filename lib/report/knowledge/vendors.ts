/** Names by which code of others is known that is linked into programs: whose it is its image does not tell. */

import type { Names } from "./row.ts";

/** Whose the code is, where the names are documented, and prefixes of names; `[` stands before classes of Objective-C. */
export const vendors: Names = [
  ["the Google Mobile Ads SDK", "developers.google.com/admob/ios", "[GAD*"],
  ["the Google Maps SDK", "developers.google.com/maps/documentation/ios-sdk", "[GMS* [GMU*"],
  [
    "Firebase or Google's libraries for it",
    "github.com/firebase/firebase-ios-sdk, github.com/google/promises",
    "[FIR* [GUL* [GTMSessionFetcher* firebase::*",
  ],
  ["Google Sign-In", "github.com/google/GoogleSignIn-iOS", "[GIDSignIn* [GIDGoogleUser*"],
  [
    "FlutterFire, Flutter's plug-ins for Firebase",
    "github.com/firebase/flutterfire",
    "[FLTFirebase*",
  ],
  [
    "a plug-in of Flutter",
    "github.com/flutter/packages: the prefix of its plug-ins' classes",
    "[FLT*",
  ],
  ["the Facebook SDK", "github.com/facebook/facebook-ios-sdk", "[FBSDK*"],
  ["AFNetworking", "github.com/AFNetworking", "[AFHTTP* [AFURL* [AFNetwork*"],
  ["SDWebImage", "github.com/SDWebImage", "[SDWebImage* [SDImage* [SDAnimatedImage*"],
  ["MBProgressHUD", "github.com/jdg/MBProgressHUD", "[MBProgressHUD*"],
  ["ASIHTTPRequest", "github.com/pokeb/asi-http-request", "[ASIHTTP* [ASIFormData* [ASINetwork*"],
  ["FMDB", "github.com/ccgus/fmdb", "[FMDatabase* [FMResultSet"],
  [
    "ReactiveCocoa",
    "github.com/ReactiveCocoa/ReactiveObjC",
    `[RACSignal* [RACSubject* [RACDisposable* [RACPassthrough* [RACScheduler* [RACMulticast*
    [RACCommand* [RACKVO* [RACReplay* [RACCompoundDisposable*`,
  ],
  ["CocoaAsyncSocket", "github.com/robbiehanson/CocoaAsyncSocket", "[GCDAsync*"],
  ["SocketRocket", "github.com/facebookincubator/SocketRocket", "[SRWebSocket*"],
  ["Bolts", "github.com/BoltsFramework/Bolts-ObjC", "[BFTask* [BFExecutor*"],
  ["Parse's SDK", "github.com/parse-community", "[PFObject* [PFQuery* [PFCommand* [PFMulti*"],
  ["XMPPFramework", "github.com/robbiehanson/XMPPFramework", "[XMPPStream* [XMPPRoster*"],
  ["ijkplayer", "github.com/bilibili/ijkplayer", "[IJKFF* ijkmp_* ffp_*"],
  ["AppLovin's SDK", "github.com/AppLovin", "[ALSdk* [ALAd* [ALPrivacy* [MAAd*"],
  ["Tapjoy", "dev.tapjoy.com", "[Tapjoy* [TJPlacement*"],
  ["SVProgressHUD", "github.com/SVProgressHUD", "[SVProgressHUD*"],
  ["YYKit", "github.com/ibireme/YYKit", "[YYImage* [YYText* [YYModel* [YYCache*"],
  ["MJRefresh", "github.com/CoderMJLee/MJRefresh", "[MJRefresh*"],
  ["IQKeyboardManager", "github.com/hackiftekhar/IQKeyboardManager", "[IQKeyboard*"],
  ["Realm", "github.com/realm/realm-swift", "[RLM* realm::*"],
  ["Mapbox or MapLibre", "github.com/maplibre/maplibre-native", "[MGL* [MLN* mbgl::*"],
  [
    "the UMeng SDK",
    "developer.umeng.com",
    // Unimodules' classes begin with UM too.
    `[UMConfigure* [UMAnalytics* [UMeng* Umeng* [MobClick* [UMSocial* [UMEnvelope* [UMBuildPayload*
    [UMWorkDispatch* [UMAOCTools*`,
  ],
  ["WeChat's SDK", "developers.weixin.qq.com", "[WXApi*"],
  ["Tencent's SDK", "cloud.tencent.com/document", "tencent::* [TencentOAuth*"],
  ["the Baidu Maps SDK", "lbsyun.baidu.com", "[BMKMap*"],
  ["the AMap SDK", "lbs.amap.com", "[AMapSearch* [AMapLocation* [AMapNavi* [AMapServices"],
  ["JPush", "docs.jiguang.cn", "[JPUSH*"],
  ["Unity Ads", "docs.unity.com/ads", "[UADS* [USRV*"],
  ["AppsFlyer", "github.com/AppsFlyerSDK", "[AppsFlyer* [AFSDK*"],
  ["Adjust", "github.com/adjust/ios_sdk", "[ADJ*"],
  [
    "Mixpanel",
    "github.com/mixpanel/mixpanel-iphone",
    `[Mixpanel [MixpanelPeople [MixpanelGroup [MixpanelExceptionHandler [MixpanelPersistence
    [MixpanelIdentity`,
  ],
  ["Flurry", "developer.yahoo.com/flurry", "[Flurry*"],
  ["AdColony", "github.com/AdColony/AdColony-iOS-SDK", "[AdColony*"],
  ["Vungle", "github.com/Vungle", "[Vungle*"],
  ["MoPub", "github.com/mopub/mopub-ios-sdk", "[MoPub*"],
  ["Appboy (Braze)", "github.com/Appboy/appboy-ios-sdk", "[Appboy* [ABK* [BRZ*"],
  ["Zendesk's SDK", "developer.zendesk.com", "[ZDC* [ZDK*"],
  ["Intercom", "github.com/intercom/intercom-ios", "[Intercom"],
  ["OneSignal", "github.com/OneSignal", "[OneSignal*"],
  [
    "Batch",
    "github.com/BatchLabs/Batch-iOS-SDK",
    "[BatchPush* [BatchMessaging* [BatchInbox* [BALocalCampaign*",
  ],
  [
    "Titanium",
    "github.com/tidev/titanium-sdk, iphone/Classes and iphone/TitaniumKit; TiCore, JavaScriptCore with Ti before its names",
    `[TiUI* [TiBinding* [TiContacts* [TiScene* [TiBlob [TiBuffer [TiFile [TiAnimation [TiGradient
    [TiStylesheet [TiToolbar [TiLayoutQueue [TiExceptionHandler [TiConsole [TiComplexValue
    [TiWindow [TiColor [TiViewProxy [TiWindowProxy [TiRootViewController [TiViewController
    [TiErrorController [TiDOM* [TiMedia* [TiNetwork* [TiStorekit* [TitaniumApp performLayoutRefresh
    SizeConstraintViewWithSizeAddingResizing ApplyConstraintToViewWithBounds* TiDimension*
    TiBinding* TiValueIs* TiValueGet* TiValueMake* TiValueTo* TiValueProtect TiValueUnprotect
    TiObjectMake* TiObjectGet* TiObjectSet* TiObjectHas* TiObjectDelete* TiObjectIs*
    TiStringCreate* TiStringRe* TiStringGet* TiContextGet* TiGlobalContext* TiClassCreate
    TiClassRe*`,
  ],
  ["React Native Firebase", "github.com/invertase/react-native-firebase", "[RNFB*"],
  ["React Native SVG", "github.com/software-mansion/react-native-svg", "[RNSVG*"],
  ["React Native WebView", "github.com/react-native-webview", "[RNCWebView*"],
  ["Async Storage", "github.com/react-native-async-storage", "[RNCAsyncStorage*"],
  ["React Native FastImage", "github.com/DylanVann/react-native-fast-image", "[FFFastImage*"],
  [
    "React Native's linear gradient",
    "github.com/react-native-linear-gradient",
    "[BVLinearGradient*",
  ],
  ["React Native Device Info", "github.com/react-native-device-info", "[RNDeviceInfo*"],
  ["Expo's modules", "Expo, packages", "[EXAV* [EXNotifications* [EXFileSystem* [EXUpdates*"],
  ["React Native Gesture Handler", "github.com/software-mansion", "[RNGestureHandler*"],
  [
    "react-native-maps",
    "github.com/react-native-maps, ios",
    "[AIRMap* [AIRGoogleMap* [AIRGMS* [RNMaps*",
  ],
  ["React Native Screens", "github.com/software-mansion", "[RNSScreen*"],
  [
    "Expo's development client",
    "Expo, packages/expo-dev-launcher/ios and expo-dev-menu/ios",
    "ExpoDevLauncher* [EXDevLauncher* EXDevLauncher* ExpoDevMenu* [EXDevMenu*",
  ],
  [
    "expo-updates",
    "Expo, packages/expo-updates/ios/EXUpdates/ErrorRecovery.swift",
    "ErrorRecovery.crash* ErrorRecovery.runNextTask* StartupProcedure.throwException*",
  ],
  [
    "RevenueCat's SDK",
    "github.com/RevenueCat/purchases-ios",
    "Configuration.APIKeyValidationResult.* [RCPurchases*",
  ],
  // Assemblies that were compiled ahead of time, by their namespaces.
  [
    "Xamarin.Forms",
    "github.com/xamarin/Xamarin.Forms",
    "[Xamarin_Forms_* Xamarin_Forms_Platform_* Xamarin_Forms_Core_*",
  ],
  [
    "MonoTouch.Dialog",
    "github.com/migueldeicaza/MonoTouch.Dialog",
    "[MonoTouch_Dialog_* MonoTouch_Dialog_*",
  ],
  ["MvvmCross", "github.com/MvvmCross", "[Cirrious_* Cirrious_MvvmCross_* Cirrious_CrossCore_*"],
  ["Newtonsoft's Json.NET", "github.com/JamesNK/Newtonsoft.Json", "Newtonsoft_Json_*"],
  ["SharpZipLib", "github.com/icsharpcode/SharpZipLib", "ICSharpCode_SharpZipLib_*"],
  ["Sparkle", "github.com/sparkle-project", "[SUUpdater* [SUUIBased* [SPUUpdater*"],
  ["CocoaLumberjack", "github.com/CocoaLumberjack", "[DDLog* [DDTTYLogger* [DDFileLogger*"],
  ["Masonry", "github.com/SnapKit/Masonry", "[MASConstraint* [MASViewConstraint*"],
  ["Protocol Buffers", "github.com/protocolbuffers", "[GPB* google::protobuf::*"],
  ["gRPC", "github.com/grpc/grpc", "[GRPC* grpc_core::* grpc::*"],
  ["YapDatabase", "github.com/yapstudios/YapDatabase", "[YapDatabase* [YapCollection*"],
  ["cocos2d-x", "github.com/cocos2d/cocos2d-x", "cocos2d::*"],
  [
    "wxWidgets",
    "github.com/wxWidgets/wxWidgets, src/osx and src/common",
    `wxMac* wxOSX* wxCocoa* wxWidgetImpl* wxWidgetCocoaImpl* wxGUIEventLoop* wxCFEventLoop*
    wxEvtHandler::* wxWindowBase::* wxWindowMac::* wxAppBase::* wxAppConsole* wxDataViewCtrl*
    wxGCDC* wxGraphicsContext* wxListMainWindow::* wxMenuBase::* wxControlBase::* wxFrameBase::*
    wxGenericListCtrl* wxGenericTreeCtrl* wxRendererGeneric::* wxStringBase::* wxTopLevelWindow*
    wxNonOwnedWindow* [wxNS*`,
  ],
  ["JUCE", "github.com/juce-framework/JUCE", "juce::*"],
  ["WebRTC", "webrtc.org", "webrtc::* rtc::*"],
  ["Boost", "boost.org", "boost::*"],
  [
    "Rust's standard library, which writes backtraces",
    "Rust, library/backtrace; libbacktrace with the prefixes of its builds, src/symbolize/libbacktrace.rs",
    "__rdos_* __rbt_* backtrace::backtrace::* backtrace::symbolize::*",
  ],
  ["OpenCV", "github.com/opencv/opencv", "cv::*"],
  ["TensorFlow", "github.com/tensorflow/tensorflow", "tensorflow::* tflite::*"],
  ["PyTorch", "github.com/pytorch/pytorch", "torch::* c10::* at::native::*"],
  ["LevelDB", "github.com/google/leveldb", "leveldb::*"],
  ["RocksDB", "github.com/facebook/rocksdb", "rocksdb::*"],
  ["Crypto++", "github.com/weidai11/cryptopp", "CryptoPP::*"],
  ["Dear ImGui", "github.com/ocornut/imgui", "ImGui::*"],
  ["SDL", "github.com/libsdl-org/SDL", "SDL_* UIKit_GL_* Cocoa_GL_*"],
  ["GLFW", "github.com/glfw/glfw", "glfw* _glfw*"],
  [
    "Lua",
    "lua.org: the prefixes of its source files",
    `luaV_* luaD_* luaL_* luaH_* luaC_* luaM_* luaG_* luaT_* luaS_* luaF_* luaE_* luaZ_* luaK_*
    luaX_* luaY_* luaO_* luaU_*`,
  ],
  ["SQLite", "sqlite.org", "sqlite3*"],
  [
    "minizip",
    "github.com/madler/zlib, contrib/minizip",
    `unzOpen* unzGoTo* unzLocateFile unzReadCurrentFile unzCloseCurrentFile unzGetCurrentFileInfo*
    zipOpen* zipWriteInFileInZip zipClose* fopen_file_func fopen64_file_func fread_file_func
    fwrite_file_func fseek_file_func fseek64_file_func ftell_file_func fclose_file_func`,
  ],
  ["libpng", "libpng.org: the prefix of its functions", "png_*"],
  ["WebP", "chromium.googlesource.com/webm/libwebp", "WebPDecode* WebPEncode* VP8L* VP8Decode*"],
  ["Opus", "opus-codec.org", "opus_*"],
  ["libvpx", "webmproject.org", "vpx_* vp8_* vp9_*"],
  ["RapidJSON", "rapidjson.org", "rapidjson::*"],
  ["Poco", "pocoproject.org", "Poco::*"],
  ["Box2D", "box2d.org", "b2World::* b2Body::* b2Contact* b2BroadPhase::*"],
  ["PhysX", "github.com/NVIDIA-Omniverse/PhysX", "physx::*"],
  ["FMOD", "fmod.com", "FMOD::* FMOD_*"],
  ["Wwise", "audiokinetic.com", "AK::* CAk*"],
  ["Abseil", "abseil.io", "absl::*"],
  [
    "the Boehm garbage collector",
    "github.com/ivmai/bdwgc",
    `GC_malloc* GC_clear_stack* GC_mark_* GC_push_* GC_collect* GC_gcollect* GC_generic_malloc*
    GC_reclaim* GC_finish_collection* GC_stopped_mark*`,
  ],
  [
    "libcurl",
    "github.com/curl/curl",
    `Curl_* curl_easy_* curl_multi_* curl_global_* curl_share_* curl_slist_* curl_mime_* curl_url*
    curl_form* curl_ws_* curl_free curl_getdate curl_version*`,
  ],
  ["OpenSSL or what was made from it", "openssl.org", "SSL_* OPENSSL_* EVP_* bssl::*"],
  [
    "libuv",
    "github.com/libuv/libuv",
    `uv__* uv_run uv_loop_* uv_async_* uv_timer_* uv_close uv_read_* uv_write* uv_tcp_* uv_pipe_*
    uv_fs_* uv_poll_* uv_queue_work uv_spawn`,
  ],
  ["FFmpeg", "ffmpeg.org", "avcodec_* avformat_* av_*"],
  ["VTK", "vtk.org: its classes begin with vtk", "vtk*"],
  ["ITK", "itk.org", "itk::*"],
  ["MoltenVK", "github.com/KhronosGroup/MoltenVK", "MVK*"],
  ["ggml or llama.cpp", "github.com/ggml-org", "ggml_* llama_*"],
  [
    "FreeType",
    "freetype.org",
    `FT_New_* FT_Load_* FT_Done_* FT_Open_Face FT_Outline_* FT_Glyph_* FT_Set_* FT_Render_* FT_Get_*
    FT_Stream_* FT_Bitmap_* FT_Init_FreeType`,
  ],
  [
    "HarfBuzz",
    "harfbuzz.github.io",
    "hb_shape* hb_font_* hb_face_* hb_ot_* hb_aat_* hb_coretext_*",
  ],
  ["cairo", "cairographics.org", "cairo_*"],
];

/** Frameworks of others, by the names of their files, which are no words that programs have for names as well. */
export const sdks: Names = [
  ["Microsoft's Clarity SDK", "github.com/microsoft/clarity-apps", "Clarity"],
  ["the Google Mobile Ads SDK", "developers.google.com/admob/ios", "GoogleMobileAds"],
  ["the Google Maps SDK", "developers.google.com/maps/documentation/ios-sdk", "GoogleMaps"],
  ["Google Sign-In", "github.com/google/GoogleSignIn-iOS", "GoogleSignIn"],
  ["Firebase", "github.com/firebase/firebase-ios-sdk", "Firebase*"],
  ["the Facebook SDK", "github.com/facebook/facebook-ios-sdk", "FBSDK* FBAudienceNetwork"],
  ["AppsFlyer", "github.com/AppsFlyerSDK", "AppsFlyerLib"],
  ["Adjust", "github.com/adjust/ios_sdk", "AdjustSdk"],
  ["AppLovin's SDK", "github.com/AppLovin/AppLovin-MAX-SDK-iOS", "AppLovinSDK"],
  ["Unity Ads", "docs.unity.com/ads", "UnityAds"],
  ["Unity", "docs.unity3d.com", "UnityFramework"],
  ["Flutter's engine", "github.com/flutter/flutter, engine", "Flutter"],
  ["React Native", "github.com/facebook/react-native", "React ReactNativeDependencies"],
  ["Hermes", "github.com/facebook/hermes", "hermes hermesvm"],
  ["Expo's modules", "Expo, packages/expo-modules-core", "ExpoModulesCore"],
  ["ironSource's SDK", "developers.is.com", "IronSource"],
  ["Vungle", "github.com/Vungle", "VungleAdsSDK VungleSDK"],
  ["Chartboost", "docs.chartboost.com", "ChartboostSDK"],
  ["InMobi's SDK", "support.inmobi.com", "InMobiSDK"],
  ["Pangle's SDK", "pangleglobal.com", "BUAdSDK PAGAdSDK"],
  ["OneSignal", "github.com/OneSignal", "OneSignal*"],
  ["Braze", "github.com/braze-inc/braze-swift-sdk", "BrazeKit BrazeUI"],
  ["Amplitude", "github.com/amplitude", "AmplitudeSwift AmplitudeCore"],
  ["Datadog's SDK", "github.com/DataDog/dd-sdk-ios", "Datadog*"],
  ["New Relic's agent", "github.com/newrelic", "NewRelic NewRelicAgent"],
  ["Stripe's SDK", "github.com/stripe/stripe-ios", "StripeCore StripePayment* StripeUICore"],
  ["Agora's SDK", "docs.agora.io", "AgoraRtcKit AgoraRtmKit"],
  ["Twilio's SDK", "twilio.com/docs", "TwilioVideo TwilioVoice"],
  ["Mapbox", "github.com/mapbox", "MapboxMaps MapboxCoreMaps MapboxCommon"],
  ["Realm", "github.com/realm/realm-swift", "Realm RealmSwift"],
  ["Alamofire", "github.com/Alamofire/Alamofire", "Alamofire"],
  ["AFNetworking", "github.com/AFNetworking", "AFNetworking"],
  ["SDWebImage", "github.com/SDWebImage", "SDWebImage"],
  ["Kingfisher", "github.com/onevcat/Kingfisher", "Kingfisher"],
  ["RxSwift", "github.com/ReactiveX/RxSwift", "RxSwift RxCocoa"],
  ["CocoaLumberjack", "github.com/CocoaLumberjack", "CocoaLumberjack CocoaLumberjackSwift"],
  ["WebRTC", "webrtc.org", "WebRTC"],
];

/** Interpreters: whose functions evaluate code of a script, which has no functions on the stack. */
export const scripts: Names = [
  ["Ruby", "Ruby, vm.c", "vm_exec rb_vm_exec vm_exec_* rb_eval*"],
  [
    "Python",
    "CPython, Python/ceval.c",
    "PyEval_EvalFrame* _PyEval_EvalFrame* PyEval_EvalCode* _PyEval_EvalCode* _PyEval_Vector*",
  ],
  ["Perl", "Perl, run.c", "Perl_runops_* Perl_pp_*"],
  ["PHP", "PHP, Zend/zend_vm_execute.h", "execute_ex zend_execute*"],
  ["Lua", "Lua, lvm.c", "luaV_execute*"],
  ["Tcl", "Tcl, generic/tclBasic.c", "TclNRRunCallbacks* Tcl_EvalObjEx* TclEvalEx*"],
  ["R", "R, src/main/eval.c", "bcEval* Rf_eval"],
  ["Emacs Lisp", "Emacs, src/eval.c and bytecode.c", "Feval eval_sub exec_byte_code"],
  ["Java", "OpenJDK, javaCalls.cpp", "JavaCalls::call_helper*"],
  [
    "JavaScript",
    "JavaScriptCore, V8, Hermes, QuickJS and Duktape: their interpreters",
    `JSC::Interpreter::execute* vmEntryToJavaScript* llint_entry* hermes::vm::Interpreter::*
    Builtins_InterpreterEntryTrampoline* Builtins_JSEntryTrampoline* JS_CallInternal*
    duk__js_execute_bytecode* duk_js_execute_bytecode*`,
  ],
];

/** Classes with names that others may have as well, whose they are by what is on the same stack. */
export const companions: readonly {
  readonly title: string;
  readonly names: RegExp;
  readonly beside: RegExp;
  readonly source: string;
}[] = [{
  title: "Titanium",
  names:
    /^(?:__\d{1,3})?[-+]\[(?:(?:API|Accelerometer|Analytics|App|Buffer|Calendar|Codec|Contacts|Database|Facebook|Filesystem|Geolocation|Gesture|Locale|Map|Media|Network|Platform|Socket|Stream|TopTi|UI|Utils|XML)Module|Ti[A-Z]\w{1,60}(?:Proxy|Module|View|Layer|Delegate|Session)|LocalProtocolHandler|ExpandedInvocationOperation|ObjcProxy) /,
  beside:
    /^(?:Kroll[A-Z]|(?:__\d{1,3})?[-+]\[(?:Kroll(?:Bridge|Context|Object|Callback|Method|Event|Invocation)|Ti(?:App|Utils|Proxy|Module|Host|ViewProxy|WindowProxy|LayoutQueue|(?:UI|Contacts|Binding)\w{1,60})) )/,
  source: "Titanium, iphone/Classes",
}, {
  // A game's own code is managed, or in libraries of its own.
  title: "Unity",
  names: /^[A-Za-z_][^\[]{0,400}\(/,
  beside: /^PlayerMain\(int, (?:char const|wchar_t)/,
  source: "docs.unity3d.com, Scripting backends; the player's main function, by public reports",
}];
