/** The occasions on which the frameworks of iOS, and those that apps bring along, call a program. */

import type { KnowledgeRow } from "./row.ts";

const uikit = "Apple, UIKit";

/** Meaning, source, and the functions by which a stack shows it. */
const occasions: readonly (readonly [string, string, readonly string[]])[] = [
  ["while a view controller appeared (viewWillAppear, viewDidAppear)", uikit, [
    "-[UIViewController __viewWillAppear:]",
    "-[UIViewController __viewDidAppear:]",
  ]],
  ["while a view controller appeared or disappeared", uikit, [
    "-[UIViewController viewDidMoveToWindow:shouldAppearOrDisappear:]",
  ]],
  ["while a view controller disappeared (viewWillDisappear, viewDidDisappear)", uikit, [
    "-[UIViewController __viewWillDisappear:]",
    "-[UIViewController __viewDidDisappear:]",
  ]],
  ["while a navigation controller showed a view controller", uikit, [
    "-[UINavigationController _startDeferredTransitionIfNeeded:]",
    "-[UINavigationController _startCustomTransition:]",
  ]],
  ["while a view controller was presented or dismissed", uikit, [
    "-[UIPresentationController runTransitionForCurrentState]",
  ]],
  ["in a transition between view controllers", uikit, [
    "-[_UIViewControllerTransitionContext *",
    "-[_UIViewControllerTransitionCoordinator *",
  ]],
  ["while a page view controller turned its pages", "Apple, UIPageViewController", [
    "-[_UIQueuingScrollView *",
    "__54-[_UIQueuingScrollView *",
  ]],
  ["when the dragging or scrolling of a view ended", "Apple, UIScrollViewDelegate", [
    "-[UIScrollView _scrollViewDidEnd*",
    "-[UIScrollView(UIScrollViewInternal) _scrollViewDidEnd*",
  ]],
  ["in the action of an alert", "Apple, UIAlertController", [
    "-[UIAlertController _invokeHandlersForAction:]",
  ]],
  [
    "in the completion of an animation",
    "Apple, UIView: animate(withDuration:animations:completion:)",
    [
      "-[UIViewAnimationBlockDelegate _didEndBlockAnimation:finished:context:]",
      "-[UIViewAnimationState sendDelegateAnimationDidStop:*",
    ],
  ],
  ["while a table or collection view was updated", "Apple, UITableView and UICollectionView", [
    "-[UICollectionView _viewAnimationsForCurrentUpdate]",
    "-[UICollectionView _updateWithItems:*",
    "-[UICollectionView _endUpdates*",
    "-[UITableView _updateRowsAtIndexPaths:*",
  ]],
  ["while a table view asked for the height of a row", "Apple, UITableViewDelegate", [
    "-[UITableView _dataSourceHeightForRowAtIndexPath:]",
    "-[UISectionRowData heightForRow:*",
  ]],
  ["while the app became active", "Apple, UIApplicationDelegate", [
    "-[UIApplication _handleApplicationActivationWithScene:*",
  ]],
  [
    "while the app connected to a scene",
    "Apple, UISceneDelegate: scene(_:willConnectTo:options:)",
    [
      "-[UIApplication _connectUISceneFromFBSScene:transitionContext:]",
      "+[UIScene _sceneForFBSScene:create:withSession:connectionOptions:]",
    ],
  ],
  [
    "while the app was told to open a URL",
    "Apple, UIApplicationDelegate: application(_:open:options:)",
    [
      "-[UIApplication _applicationOpenURLAction:*",
    ],
  ],
  ["while an archive was read (NSKeyedUnarchiver)", "Apple, NSKeyedUnarchiver", [
    "_decodeObjectBinary*",
    "-[NSKeyedUnarchiver _decodeObject*",
  ]],
  ["in a block of a managed object context (perform)", "Apple, Core Data", [
    "developerSubmittedBlockToNSManagedObjectContextPerform*",
    "-[NSManagedObjectContext performBlockAndWait:]",
  ]],
  ["in a callback of Core Location", "Apple, CLLocationManagerDelegate", [
    "-[CLLocationManager onClientEvent*",
  ]],
  ["in a callback of Core Bluetooth", "Apple, CBCentralManagerDelegate and CBPeripheralDelegate", [
    "-[CBCentralManager handle*",
    "-[CBPeripheral handle*",
    "-[CBPeripheralManager handle*",
  ]],
  ["in the action of a button of SwiftUI", "Apple, SwiftUI, as its frames are named", [
    "PrimitiveButtonStyleConfiguration.trigger*",
    "ButtonAction.callAsFunction*",
  ]],
  ["when a view of SwiftUI appeared or disappeared", "Apple, SwiftUI: onAppear, onDisappear", [
    "_AppearanceActionModifier.*",
  ]],
  ["when a value of SwiftUI changed (onChange)", "Apple, SwiftUI: onChange", [
    "ValueActionDispatcher.*",
    "_ValueActionModifier.*",
    "_ValueActionModifier2.*",
  ]],
  ["in a subscriber of Combine (sink)", "Apple, Combine", ["Subscribers.Sink.receive*"]],
  [
    "while JavaScript called a method of a native module",
    "React Native, RCTTurboModule.mm and RCTModuleMethod.mm",
    [
      "facebook::react::ObjCTurboModule::perform*",
      "invocation function for block in facebook::react::ObjCTurboModule::perform*",
      "facebook::react::ObjCTurboModule::invokeObjCMethod*",
      "-[RCTModuleMethod invokeWithBridge:module:arguments:]",
      "facebook::react::RCTNativeModule::invoke*",
      "facebook::react::invokeInner*",
    ],
  ],
  [
    "while React Native changed its views",
    "React Native, RCTMountingManager.mm and RCTUIManager.m",
    [
      "-[RCTMountingManager performTransaction:]",
      "-[RCTMountingManager initiateTransaction:*",
      "-[RCTUIManager flushUIBlocksWithCompletion:]",
    ],
  ],
  ["in a function of an Expo module that JavaScript called", "Expo, expo-modules-core: Functions", [
    "AsyncFunctionComponent.call*",
    "AsyncFunctionDefinition.call*",
    "SyncFunctionComponent.call*",
    "SyncFunctionDefinition.call*",
  ]],
  ["in a method of a Cordova plug-in that JavaScript called", "Apache Cordova, CDVCommandQueue.m", [
    "-[CDVCommandQueue execute:]",
  ]],
  [
    "in a method of a Capacitor plug-in that JavaScript called",
    "Capacitor, CapacitorBridge.swift",
    [
      "CapacitorBridge.handleJSCall(call:)",
    ],
  ],
  [
    "in the handler of a message from Dart (a platform channel)",
    "Flutter, platform_message_handler_ios.mm",
    [
      "flutter::PlatformMessageHandlerIos::HandlePlatformMessage*",
      "invocation function for block in flutter::PlatformMessageHandlerIos::HandlePlatformMessage*",
      "-[FlutterEngine handlePlatformMessage:*",
    ],
  ],
  ["while Flutter's plug-ins were registered", "Flutter, GeneratedPluginRegistrant.m", [
    "+[GeneratedPluginRegistrant registerWithRegistry:]",
  ]],
  ["while Flutter drew a frame", "Flutter, shell/common/rasterizer.cc", [
    "flutter::Rasterizer::Draw*",
    "flutter::Rasterizer::DoDraw*",
  ]],
  ["while Unity ran a frame", "Unity, UnityAppController+Rendering.mm", [
    "UnityPlayerLoop",
    "UnityRepaint",
    "-[UnityAppController(Rendering) repaint]",
  ]],
  ["while Unity was started", "Unity, UnityAppController.mm", [
    "-[UnityAppController startUnity:]",
    "UnityInitApplicationNoGraphics",
    "UnityInitApplicationGraphics",
  ]],
];

/** Methods of the program that only the system calls, by their names in Objective-C and Swift: where its functions have no
 * names, they tell. */
const methods: readonly (readonly [string, string, readonly string[]])[] = [
  [
    "while the app was starting, in its delegate's didFinishLaunching",
    "Apple, UIApplicationDelegate",
    [
      "application:didFinishLaunchingWithOptions:",
      "application(_:didFinishLaunchingWithOptions:)",
    ],
  ],
  [
    "while the app connected to a scene",
    "Apple, UISceneDelegate",
    ["scene:willConnectToSession:options:", "scene(_:willConnectTo:options:)"],
  ],
  [
    "while a view controller loaded its view (viewDidLoad)",
    uikit,
    ["viewDidLoad", "viewDidLoad()"],
  ],
  [
    "while a view controller appeared (viewWillAppear, viewDidAppear)",
    uikit,
    ["viewWillAppear:", "viewDidAppear:", "viewWillAppear(_:)", "viewDidAppear(_:)"],
  ],
  [
    "while a view controller disappeared (viewWillDisappear, viewDidDisappear)",
    uikit,
    ["viewWillDisappear:", "viewDidDisappear:", "viewWillDisappear(_:)", "viewDidDisappear(_:)"],
  ],
  [
    "while a cell was made for a table or collection view",
    uikit,
    [
      "tableView:cellForRowAtIndexPath:",
      "tableView(_:cellForRowAt:)",
      "collectionView:cellForItemAtIndexPath:",
      "collectionView(_:cellForItemAt:)",
    ],
  ],
  [
    "while a row or item was selected",
    uikit,
    [
      "tableView:didSelectRowAtIndexPath:",
      "tableView(_:didSelectRowAt:)",
      "collectionView:didSelectItemAtIndexPath:",
      "collectionView(_:didSelectItemAt:)",
    ],
  ],
  [
    "in a callback of Core Location",
    "Apple, CLLocationManagerDelegate",
    ["locationManager:didUpdateLocations:", "locationManager(_:didUpdateLocations:)"],
  ],
];

/** See {@linkcode KnowledgeRow}. */
export const mobileRows = (): readonly KnowledgeRow[] =>
  [...occasions, ...methods].flatMap((
    [meaning, source, keys],
  ) =>
    keys.map((key) => ({ kind: "occasion" as const, key, meaning, causes: [], next: "", source }))
  );
