/** Libraries of Objective-C and Swift that are linked into programs or come along with them, by their classes and files. */

import type { Names } from "./row.ts";

/** Whose the classes are, where they are documented, and prefixes of their names or whole ones; `[` stands before a class, `(` before
 * a category of a class of the system's, by its own name. */
export const classes: Names = [
  [
    "Google Analytics or Tag Manager",
    "developers.google.com/analytics",
    `[GAI [GAITracker* [GAIDispatch* [GAIDataStore* [GAIReport* [GAIHit* [GAIUncaught*
    [GAIBatching* [GAIProperty* [TAGManager* [TAGContainer* [TAGDataLayer*`,
  ],
  [
    "Firebase or Google's libraries for it",
    "github.com/firebase/firebase-ios-sdk; Google Analytics for Firebase",
    `[APMMeasurement* [APMDatabase [APMSqlite* [APMMonitor* [APMPersist* [APMEDatabase [APMETask*
    [APMAnalytics* [APMRemoteConfig* [APMIdentifiers* [APMScreen* [APMSession* [APMAppDelegate*
    [APMPBMeasurement* [FST* [FBLPromise* [GDTCOR* [GDTCCT* [FRepo* [FPersistentConnection
    [FWebSocketConnection [FSyncTree [FIRInstanceID* [PGLCrash*`,
  ],
  [
    "Sentry",
    "github.com/getsentry/sentry-cocoa",
    "[Sentry*",
  ],
  [
    "Texture (AsyncDisplayKit)",
    "texturegroup.org: its classes",
    `[ASAbsoluteLayoutSpec [ASAbstractLayoutController [ASAbstractRunLoopQueue
    [ASAccessibilityCustomAction [ASAccessibilityElement [ASAsciiArtBoxCreator
    [ASAsyncTransactionOperation [ASBackgroundLayoutSpec [ASBasicImageDownloader
    [ASBasicImageDownloaderContext [ASButtonNode [ASCATransactionQueue [ASCenterLayoutSpec
    [ASCollectionElement [ASCollectionFlowLayoutDelegate [ASCollectionGalleryLayoutDelegate
    [ASCollectionLayout [ASCollectionLayoutCache [ASCollectionLayoutContext
    [ASCollectionLayoutState [ASConfiguration [ASConfigurationManager [ASControlTargetAction
    [ASCornerLayoutSpec [ASDKNavigationController [ASDefaultPlayButton [ASDefaultPlaybackButton
    [ASDelegateProxy [ASEditableTextNode [ASElementMap [ASHighlightOverlayLayer
    [ASIGListAdapterBasedDataSource [ASIGListSectionControllerMethods
    [ASIGListSupplementaryViewSourceMethods [ASInsetLayoutSpec [ASIntegerMap
    [ASLayerBackingTipProvider [ASMainSerialQueue [ASMapNode [ASMultiplexImageNode
    [ASMutableAttributedStringBuilder [ASMutableElementMap [ASNodeAncestryEnumerator
    [ASNodeController [ASNullLayoutSpec [ASOverlayLayoutSpec [ASPINRemoteImageDownloader
    [ASPINRemoteImageManager [ASPagerFlowLayout [ASPagerNode [ASPagerNodeProxy
    [ASPanningOverriddenUITextView [ASPendingStateController [ASPhotosFrameworkImageRequest
    [ASRatioLayoutSpec [ASRelativeLayoutSpec [ASResponderChainEnumerator [ASRunLoopQueue
    [ASScrollNode [ASScrollView [ASSection [ASTabBarController [ASTableLayoutController
    [ASTextAttachment [ASTextBackedString [ASTextBinding [ASTextBorder [ASTextCacheValue
    [ASTextCellNode [ASTextContainer [ASTextDebugOption [ASTextDecoration [ASTextHighlight
    [ASTextKitComponents [ASTextKitComponentsTextView [ASTextKitContext
    [ASTextKitEntityAttribute [ASTextKitFontSizeAdjuster [ASTextKitRenderer [ASTextKitShadower
    [ASTextKitTailTruncater [ASTextKitTextCheckingResult [ASTextLayout [ASTextLine
    [ASTextLinePositionSimpleModifier [ASTextPosition [ASTextRange [ASTextRunDelegate
    [ASTextRunGlyphRange [ASTextSelectionRect [ASTextShadow [ASTip [ASTipNode [ASTipProvider
    [ASTipsController [ASTipsWindow [ASTraitCollection [ASVideoNode [ASVideoPlayerNode
    [ASWeakMap [ASWeakMapEntry [ASWeakProxy [ASWeakSet [ASWrapperCellNode [ASWrapperLayoutSpec
    [_ASAnimatedTransitionContext [_ASCollectionGalleryLayoutInfo [_ASCollectionPendingState
    [_ASCollectionReusableView [_ASCollectionViewCell [_ASGalleryLayoutItem
    [_ASHierarchyChangeSet [_ASHierarchyItemChange [_ASHierarchySectionChange [_ASPendingState
    [_ASRangeDebugBarView [_ASRangeDebugOverlayView [_ASTablePendingState [_ASTableViewCell
    [_ASTextInputTraitsPendingState [_ASTransitionContext`,
  ],
  [
    "Cocos2D",
    "github.com/cocos2d/cocos2d-objc: its classes",
    `[CCAction [CCActionAnimate [CCActionBezierBy [CCActionBezierTo [CCActionBlink
    [CCActionCallBlock [CCActionCallFunc [CCActionCardinalSplineBy [CCActionCardinalSplineTo
    [CCActionCatmullRomBy [CCActionCatmullRomTo [CCActionDelay [CCActionEase [CCActionEaseBackIn
    [CCActionEaseBackInOut [CCActionEaseBackOut [CCActionEaseBounce [CCActionEaseBounceIn
    [CCActionEaseBounceInOut [CCActionEaseBounceOut [CCActionEaseElastic [CCActionEaseElasticIn
    [CCActionEaseElasticInOut [CCActionEaseElasticOut [CCActionEaseIn [CCActionEaseInOut
    [CCActionEaseInstant [CCActionEaseOut [CCActionEaseRate [CCActionEaseSineIn
    [CCActionEaseSineInOut [CCActionEaseSineOut [CCActionFadeIn [CCActionFadeOut [CCActionFadeTo
    [CCActionFiniteTime [CCActionFlipX [CCActionFlipY [CCActionFollow [CCActionHide
    [CCActionInstant [CCActionInterval [CCActionJumpBy [CCActionJumpTo [CCActionManager
    [CCActionMoveBy [CCActionMoveTo [CCActionPlace [CCActionProgressFromTo [CCActionProgressTo
    [CCActionRemove [CCActionRepeat [CCActionRepeatForever [CCActionReverse [CCActionRotateBy
    [CCActionRotateTo [CCActionScaleBy [CCActionScaleTo [CCActionSequence [CCActionShow
    [CCActionSkewBy [CCActionSkewTo [CCActionSoundEffect [CCActionSpawn [CCActionSpeed
    [CCActionSpriteFrame [CCActionTintBy [CCActionTintTo [CCActionToggleVisibility
    [CCActionTween [CCAnimation [CCAnimationCache [CCAnimationFrame [CCAnimationManager
    [CCAppDelegate [CCBActionTweenColor [CCBAnimationManager [CCBFile [CCBKeyframe
    [CCBLocalizationManager [CCBMFontConfiguration [CCBMFontTest [CCBReader [CCBSequence
    [CCBSequenceProperty [CCBlendMode [CCBlendModeCache [CCButton [CCCache [CCCacheEntry
    [CCCacheTest [CCCacheValue [CCClippingNode [CCColor [CCConfiguration [CCControl
    [CCControlTextureFactory [CCDefaultTransition [CCDirector [CCDirectorDisplayLink
    [CCDirectorIOS [CCDirectorMac [CCDrawNode [CCEffect [CCEffectBloom [CCEffectBloomImpl
    [CCEffectBlur [CCEffectBlurImpl [CCEffectBrightness [CCEffectBrightnessImpl
    [CCEffectColorChannelOffset [CCEffectColorChannelOffsetImpl [CCEffectContrast
    [CCEffectContrastImpl [CCEffectDFInnerGlow [CCEffectDFInnerGlowImpl [CCEffectDFOutline
    [CCEffectDFOutlineImpl [CCEffectDistanceField [CCEffectDistanceFieldImpl [CCEffectDropShadow
    [CCEffectDropShadowImpl [CCEffectFunction [CCEffectFunctionInput [CCEffectGlass
    [CCEffectGlassImpl [CCEffectHue [CCEffectHueImpl [CCEffectImpl [CCEffectInvert
    [CCEffectInvertImpl [CCEffectLighting [CCEffectLightingImpl [CCEffectNode [CCEffectOutline
    [CCEffectOutlineImpl [CCEffectPixellate [CCEffectPixellateImpl [CCEffectReflection
    [CCEffectReflectionImpl [CCEffectRefraction [CCEffectRefractionImpl [CCEffectRenderPass
    [CCEffectRenderPassBeginBlockContext [CCEffectRenderPassInputs [CCEffectRenderTarget
    [CCEffectRenderer [CCEffectSaturation [CCEffectSaturationImpl [CCEffectStack [CCEffectStereo
    [CCEffectStereoImpl [CCEffectUniform [CCEffectVarying [CCEffectsTest [CCFPSLabel
    [CCFileUtils [CCFixedActionManager [CCFrameBufferObject [CCFrameBufferObjectGL
    [CCFrameBufferObjectMetal [CCGLView [CCGLViewFence [CCGraphicsBuffer
    [CCGraphicsBufferBindings [CCGraphicsBufferBindingsGL [CCGraphicsBufferBindingsMetal
    [CCGraphicsBufferGLBasic [CCGraphicsBufferGLUnsynchronized [CCGraphicsBufferMetal
    [CCLabelBMFont [CCLabelTTF [CCLabelTTFTest [CCLayout [CCLayoutBox [CCLayoutTest
    [CCLightCollection [CCLightNode [CCMetalContext [CCMetalView [CCMotionStreak [CCMoveToX
    [CCMoveToY [CCNavigationController [CCNode [CCNodeColor [CCNodeGradient [CCNodeMultiplexer
    [CCObjectWith2Params [CCPackage [CCPackageCocos2dEnabler [CCPackageDownload
    [CCPackageDownloadManager [CCPackageHelper [CCPackageInstaller [CCPackageManager
    [CCPackageUnzipper [CCParallaxNode [CCParticleBatchNode [CCParticleExplosion [CCParticleFire
    [CCParticleFireworks [CCParticleFlower [CCParticleGalaxy [CCParticleMeteor [CCParticleRain
    [CCParticleSmoke [CCParticleSnow [CCParticleSpiral [CCParticleSun [CCParticleSystem
    [CCParticleSystemBase [CCPhysicsBody [CCPhysicsCircleShape [CCPhysicsCollisionHandler
    [CCPhysicsCollisionPair [CCPhysicsJoint [CCPhysicsMotorJoint [CCPhysicsNode
    [CCPhysicsPinJoint [CCPhysicsPivotJoint [CCPhysicsPolyShape [CCPhysicsRatchet
    [CCPhysicsRotaryLimitJoint [CCPhysicsRotarySpring [CCPhysicsSegmentShape [CCPhysicsShape
    [CCPhysicsSlideJoint [CCPhysicsSpringJoint [CCPhysicsTest [CCPlatformTextField
    [CCPlatformTextFieldIOS [CCPlatformTextFieldMac [CCPointArray [CCPotentiometer [CCProfiler
    [CCProfilingTimer [CCProgressNode [CCProxy [CCRenderCommandCustom [CCRenderCommandDraw
    [CCRenderCommandDrawGL [CCRenderCommandDrawMetal [CCRenderCommandGroup [CCRenderState
    [CCRenderStateCache [CCRenderStateCacheKey [CCRenderStateGL [CCRenderStateMetal
    [CCRenderTexture [CCRenderTextureSprite [CCRenderer [CCRendererTest [CCResponder
    [CCResponderManager [CCResponderTest [CCRunningResponder [CCScene [CCScheduledTarget
    [CCScheduler [CCScrollView [CCScrollViewTest [CCShader [CCShaderCache [CCSlider
    [CCSliderTest [CCSprite [CCSprite9Slice [CCSprite9SliceTest [CCSpriteBatchNode
    [CCSpriteFrame [CCSpriteFrameCache [CCTableView [CCTableViewCell [CCTableViewCellHolder
    [CCTableViewContentNode [CCTableViewTest [CCTapDownGestureRecognizer [CCTextField
    [CCTextFieldTest [CCTexture [CCTextureCache [CCTextureCacheTest [CCTexturePVR [CCTiledMap
    [CCTiledMapInfo [CCTiledMapLayer [CCTiledMapLayerInfo [CCTiledMapObjectGroup
    [CCTiledMapTilesetInfo [CCTimer [CCTransition [CCTransitionTest [CCWindow`,
  ],
  [
    "Firebase or Google's libraries for it",
    "github.com/firebase/firebase-ios-sdk, FirebaseDatabase and others",
    `[ABTConditionalUserPropertyController [APLevelDB [APLevelDBIterator [APLevelDBWriteBatch
    [FAckUserWrite [FArraySortedDictionary [FArraySortedDictionaryEnumerator [FAtomicNumber
    [FAuthStateListenerWrapper [FCacheNode [FCancelEvent [FChange [FChildChangeAccumulator
    [FChildEventRegistration [FChildrenNode [FCompoundHash [FCompoundHashBuilder [FCompoundWrite
    [FConnection [FDataEvent [FEmptyNode [FEventEmitter [FEventGenerator [FEventListener
    [FEventRaiser [FImmutableSortedDictionary [FImmutableSortedSet [FImmutableTree [FIndex
    [FIndexedFilter [FIndexedNode [FKeepSyncedEventRegistration [FKeyIndex [FLLRBEmptyNode
    [FLLRBValueNode [FLeafNode [FLevelDBStorageEngine [FLimitedFilter [FListenComplete
    [FListenContainer [FListenProvider [FMaxNode [FMerge [FNamedNode [FNextPushId
    [FNoCachePolicy [FNoCompleteChildSource [FOffsetClock [FOperationSource [FOutstandingGet
    [FOutstandingPut [FOutstandingQuery [FOverwrite [FParsedUrl [FPath [FPathIndex [FPendingPut
    [FPendingPutPriority [FPendingUpdate [FPersistenceManager [FPriorityIndex [FPruneForest
    [FQueryParams [FQuerySpec [FRangeMerge [FRangedFilter [FSRIOConsumer [FSRIOConsumerPool
    [FSRUtilities [FSRWebSocket [FServerValues [FSnapshotHolder [FSnapshotUtilities
    [FSparseSnapshotTree [FStringUtilities [FSyncPoint [FSystemClock [FTrackedQuery
    [FTrackedQueryManager [FTransformedEnumerator [FTree [FTreeNode [FTreeSortedDictionary
    [FTreeSortedDictionaryEnumerator [FTupleBoolBlock [FTupleCallbackStatus [FTupleFirebase
    [FTupleNodePath [FTupleObjectNode [FTupleObjects [FTupleOnDisconnect [FTuplePathValue
    [FTupleRemovedQueriesEvents [FTupleSetIdPath [FTupleStringNode [FTupleTSN [FTupleTransaction
    [FTupleUserCallback [FUtilities [FValidation [FValueEventRegistration [FValueIndex [FView
    [FViewCache [FViewOperationResult [FViewProcessor [FViewProcessorResult [FWriteRecord
    [FWriteTree [FWriteTreeCompleteChildSource [FWriteTreeRef [RCNConfigContent
    [RCNConfigDBManager [RCNConfigExperiment [RCNConfigFetch [RCNConfigRealtime
    [RCNConfigSessionConfiguration [RCNConfigSettings [RCNPersonalization
    [RCNUserDefaultsManager [_FSRRunLoopThread`,
  ],
  [
    "YYKit",
    "github.com/ibireme/YYKit: its classes",
    `[YYDispatchQueuePool [YYFileHash [YYGestureRecognizer [YYKeychain [YYKeychainItem
    [YYSelectionGrabber [YYSelectionGrabberDot [YYThreadSafeArray [YYThreadSafeDictionary
    [YYWeakProxy [_YYAnimatedImageViewFetchOperation [_YYCGColor [_YYCGImage
    [_YYImageDecoderFrame [_YYNSObjectKVOBlockTarget [_YYTextKeyboardViewFrameObserver
    [_YYTextMagnifierCaret [_YYTextMagnifierRanged [_YYTextViewUndoObject
    [_YYUIApplicationNetworkIndicatorInfo [_YYUIBarButtonItemBlockTarget
    [_YYUIControlBlockTarget [_YYUIGestureRecognizerBlockTarget [_YYXMLDictionaryParser`,
  ],
  [
    "RestKit",
    "github.com/RestKit/RestKit: its classes",
    `[AFRKHTTPBodyPart [AFRKHTTPClient [AFRKHTTPRequestOperation [AFRKImageCache
    [AFRKImageRequestOperation [AFRKJSONRequestOperation [AFRKMultipartBodyStream
    [AFRKNetworkActivityIndicatorManager [AFRKPropertyListRequestOperation [AFRKQueryStringPair
    [AFRKStreamingMultipartFormData [AFRKURLConnectionOperation [AFRKXMLRequestOperation
    [RKAFQueryStringPair [RKAttributeMapping [RKBenchmark [RKBlockObjectMatchingMatcher
    [RKClassRoute [RKDotNetDateFormatter [RKDynamicMapping [RKErrorMessage
    [RKForeignKeyConnectionDescription [RKKeyPathClassObjectMappingMatcher
    [RKKeyPathConnectionDescription [RKKeyPathObjectMappingMatcher
    [RKKeyPathValueMapObjectMappingMatcher [RKLogInitializer [RKLumberjackLogger
    [RKMIMETypeSerialization [RKMIMETypeSerializationRegistration [RKMetadataWrapper
    [RKNSJSONSerialization [RKNSLogLogger [RKNamedRoute [RKPaginator
    [RKPredicateObjectMappingMatcher [RKPropertyInspector [RKPropertyInspectorPropertyInfo
    [RKPropertyMapping [RKPropertyMappingTestExpectation [RKRefetchingMappingResult
    [RKRequestDescriptor [RKSearchIndexer [RKSearchPredicate [RKSearchWord [RKSearchWordEntity
    [RKStringTokenizer [RKTestFactory [RKTestFixture [RKTestHelpers [RKTestNotificationObserver
    [RKURLEncodedSerialization`,
  ],
  [
    "SDWebImage",
    "github.com/SDWebImage/SDWebImage: its classes",
    `[SDDeviceHelper [SDDisplayLink [SDFileAttributeHelper [SDGraphicsImageRenderer
    [SDGraphicsImageRendererFormat [SDWeakProxy`,
  ],
  [
    "Sparkle",
    "github.com/sparkle-project/Sparkle: its classes",
    `[SUApplicationInfo [SUBundleIcon [SUGuidedPackageInstaller [SULegacyWebView
    [SUPackageInstaller [SUPhasedUpdateGroupInfo [SUPublicKeys [SUSystemProfiler
    [SUTouchBarButtonGroup [SUWKWebView [SUXPCInstallerConnection [SUXPCInstallerStatus`,
  ],
  [
    "KSCrash",
    "github.com/kstenerud/KSCrash",
    "[KSCrash* [KSCString [KSHTTP* [KSJSONCodec [KSReachability* [KSVarArgs [KSCxa*",
  ],
  [
    "Bugsnag",
    "github.com/bugsnag/bugsnag-cocoa",
    "[BSG* [Bugsnag*",
  ],
  [
    "Google Cast",
    "developers.google.com/cast",
    "[GCK*",
  ],
  [
    "Google's API clients or toolbox",
    "github.com/google/google-toolbox-for-mac, google-api-objectivec-client-for-rest",
    `[GTMHTTP* [GTMLogger* [GTMOAuth* [GTMApp* [GTLR* [GTLService* [GTMSession* [GTMAppAuth*
    [OIDAuth* [OIDToken*`,
  ],
  [
    "Google's IMA SDK",
    "developers.google.com/interactive-media-ads",
    "[IMAAd*",
  ],
  [
    "the Facebook SDK",
    "github.com/facebook/facebook-ios-sdk, before its version 4, and its ads",
    `[FBSession* [FBRequest [FBRequestConnection* [FBAppCall* [FBLoginView* [FBAdView*
    [FBNativeAd* [FBInterstitialAd* [FBRewardedVideoAd* [FBAdDebug* [FBAudienceNetwork*
    [FBAdInit* [FBAdSettings* [FBAdOptions* [FBAdExperience* [FBAdExtraHint* [FBMediaView*
    [FBNativeBannerAd*`,
  ],
  [
    "the Google VR SDK (Cardboard)",
    "github.com/googlevr/gvr-ios-sdk and cardboard; github.com/google/ion, which is in it",
    `gvr::* ion::base::* ion::gfx::* ion::gfxutils::* ion::portgfx::* ion::math::* ion::text::*
    ion::image::* ion::port::* [GVRRenderer* [GVROverlay* [GVRCardboard* [GVRAudioEngine*
    [GVRHeadPose* [GVRVideo* [GVRKit* [GVRImageRenderer* [GVRUIViewRenderer* [GVRScene*
    [GVRPanorama* [GCSCardboard* cardboard::* CardboardHeadTracker_* CardboardLensDistortion_*
    CardboardDistortionRenderer_* CardboardQrCode_* CardboardUnity_* [CardboardDeviceParams*
    [CardboardQRScan* [CardboardSensor*`,
  ],
  [
    "Flipper",
    "github.com/facebook/flipper",
    "facebook::flipper::* [FlipperClient* [FlipperKit*",
  ],
  [
    "Texture (AsyncDisplayKit)",
    "texturegroup.org",
    `[ASDisplayNode* [ASTableView* [ASTableNode* [ASCollectionView* [ASCollectionNode*
    [ASTextNode* [ASImageNode* [ASNetworkImage* [ASDataController* [ASRangeController*
    [ASCellNode* [ASControlNode* [ASLayout* [ASStackLayout* [ASBatch* [_ASDisplay* [_ASAsync*
    [ASViewController* [ASDKView* ASDisplayNode* ASPerform*`,
  ],
  [
    "IGListKit",
    "github.com/Instagram/IGListKit",
    "[IGList* IGList*",
  ],
  [
    "ComponentKit",
    "componentkit.org",
    "[CKComponent* [CKDataSource* [CKCollectionView* CKComponent*",
  ],
  [
    "Pop, KVOController or Shimmer",
    "github.com/facebookarchive",
    `[POPAnim* [POPSpring* [POPBasic* [POPProperty* [POPDecay* POPAnim* [FBKVO* [_FBKVO*
    [FBShimmering*`,
  ],
  [
    "FLAnimatedImage",
    "github.com/Flipboard/FLAnimatedImage",
    "[FLAnimatedImage*",
  ],
  [
    "PINRemoteImage or PINCache",
    "github.com/pinterest",
    "[PINRemote* [PINCache* [PINDiskCache* [PINMemoryCache* [PINOperation* [PINImage*",
  ],
  [
    "AFNetworking",
    "github.com/AFNetworking/AFNetworking",
    `[AFSecurityPolicy [AFImageDownloader* [AFJSON* [AFMultipart* [AFQuery* [AFAutoPurging*
    [AFCompound* [AFXML* [AFPropertyList* [AFStreaming* [AFImageResponse* [AFOAuth*
    (AFNetworking (_AFNetworking (_AFStateObserving`,
  ],
  [
    "SDWebImage",
    "github.com/SDWebImage",
    `[SDWeb* [SDMemoryCache [SDDiskCache [SDAsyncBlockOperation [_SDWeakProxy [SDCallbackQueue
    (WebCache (WebCacheOperation (HighlightedWebCache`,
  ],
  [
    "YYKit",
    "github.com/ibireme/YYKit",
    `[YYAnimatedImage* [YYWebImage* [YYLabel [YYDiskCache [YYMemoryCache [YYKVStorage* [YYClass*
    [YYTimer [YYFrameImage [YYSpriteSheet* [YYReachability [YYAsyncLayer* [YYSentinel
    [YYTransaction [_YYModel* [_YYLinkedMap* [_YYWebImage* YYText* (YYModel (YYText (YYWebImage`,
  ],
  [
    "Masonry",
    "github.com/SnapKit/Masonry",
    "[MASLayoutConstraint [MASComposite* (MASAdditions",
  ],
  [
    "Mantle",
    "github.com/Mantle/Mantle",
    "[MTLModel [MTLJSONAdapter* [MTLValueTransformer [MTLReversible*",
  ],
  [
    "MagicalRecord",
    "github.com/magicalpanda/MagicalRecord",
    `[MagicalRecord* (MagicalRecord (MagicalFinders (MagicalAggregation (MagicalSaves
    (MagicalThreading (MagicalDataImport`,
  ],
  [
    "RestKit",
    "github.com/RestKit/RestKit",
    `[RKObject* [RKManaged* [RKResponse* [RKEntity* [RKMapping* [RKRelationship* [RKRoute*
    [RKPathMatcher* [RKMapper* [RKHTTP* [RKOperation* [RKFetchRequest* [RKInMemory*
    [RKConnection*`,
  ],
  [
    "JSONModel",
    "github.com/jsonmodel/jsonmodel",
    "[JSONModel* [JSONKeyMapper [JSONHTTPClient",
  ],
  [
    "MJExtension",
    "github.com/CoderMJLee/MJExtension",
    "[MJProperty* [MJFoundation (MJKeyValue (MJProperty (MJClass (MJCoding (MJRefresh",
  ],
  [
    "JSONKit, SBJson or TouchJSON",
    "github.com/johnezang/JSONKit, github.com/stig/json-framework",
    "[JKSerializer [JKDictionary* [JKArray [JSONDecoder [SBJson* [SBJSON* [CJSON*",
  ],
  [
    "FMDB",
    "github.com/ccgus/fmdb",
    "[FMDB* [FMStatement",
  ],
  [
    "Reachability",
    "developer.apple.com, Reachability; github.com/tonymillion/Reachability",
    "[Reachability",
  ],
  [
    "a library of progress views or messages",
    "github.com/SVProgressHUD, github.com/JonasGessner/JGProgressHUD and others of CocoaPods",
    `[SVIndefinite* [SVRadial* [SVProgressAnimated* [JGProgressHUD* [WSProgressHUD* [KVNProgress*
    [SCLAlertView* [SCLButton [JDStatusBar* [CRToast* [TSMessage* [RMessage* [TWMessageBar*
    [CWStatusBar* [MBRoundProgressView [MBBarProgressView [MBBackgroundView (Toast`,
  ],
  [
    "a library of views",
    "CocoaPods: MWPhotoBrowser, TZImagePickerController, DZNEmptyDataSet, SWRevealViewController, TTTAttributedLabel, DTCoreText, iCarousel and others",
    `[MWPhoto* [NYTPhoto* [TZImagePicker* [TZAsset* [TZPhoto* [QBImagePicker* [QBAssets*
    [CTAssets* [ELCImagePicker* [ELCAsset* [ELCAlbum* [DZNEmptyDataSet* [DZNPhoto* (EmptyDataSet
    (DZNEmptyDataSet [SWTableViewCell* [SWReveal* [SWCellScroll* [MMDrawer* [ECSliding*
    [IIViewDeck* [RESideMenu* [MFSideMenu* [JASidePanel* [PKReveal* [TTTAttributedLabel*
    [OHAttributedLabel* [DTCoreText* [DTAttributed* [DTHTMLElement* [DTHTMLAttributed*
    [DTLazyImage* [iCarousel [SDCycleScroll* [TAPageControl* [SMPageControl* [HMSegmented*
    [CHTCollectionViewWaterfall* [XLForm* [FXForm* [FXBlurView* [FXImageView*
    [TPKeyboardAvoiding* (TPKeyboardAvoidingAdditions [SSPullTo* [EGORefresh* [EGOImage*
    [SVPullToRefresh* (SVPullToRefresh (SVInfiniteScrolling [ODRefresh* [CBStoreHouse* [MGSwipe*
    [FSCalendar* [FSPager* [JTCalendar* [HPGrowing* [JSQMessage* [JSQSystem* [JSQPhoto*
    [SLKText* [NJKWebView* [KINWeb* [TOWebView* [TOCrop* [RSKImageCrop* [PureLayout* [KLCPopup
    [SDAutoLayout* (SDAutoLayout [ZLPhoto* [HXPhoto* [WMPage* [JXCategory* [JXPager* [VTMagic*
    [SPPage* [LNPopup* [MZFormSheet* [STPopup* [CNPPopup* [PopoverView [WYPopover* [FPPopover*
    [CMPopTip* [AMPopTip* [EAIntro* [MYBlurIntro* [JVFloat* [ACEDrawing* [ACEExpandable*
    [BABCropper* [GKImage* [KKGridView* [AQGridView* [GMGridView* [PSTCollection*
    [PSUICollection* [LXReorderable* [RAReorderable* [BVReorder* [BMXSwipable* [MCSwipe*
    [JTTableView* (FDTemplateLayoutCell (FDIndexPathHeightCache (FDFullscreenPopGesture
    [_FDFullscreen* [MLImageCrop [VPImageCrop* [RFQuilt*`,
  ],
  [
    "IQKeyboardManager",
    "github.com/hackiftekhar/IQKeyboardManager",
    "[IQToolbar* [IQTextView* [IQBarButton* [IQTitleBar* [IQPreviousNext*",
  ],
  [
    "a library of charts",
    "github.com/core-plot/core-plot, github.com/kevinzhow/PNChart and others",
    `[CPT* [PNLineChart* [PNBarChart* [PNPieChart* [PNChart* [JBLineChart* [JBBarChart* [JBChart*
    [BEMSimple* [BEMLine* [FSLineChart* [XYPieChart* [TKChart* [SChart* [ShinobiChart*`,
  ],
  [
    "Lottie",
    "github.com/airbnb/lottie-ios",
    "[LOT*",
  ],
  [
    "SVGAPlayer",
    "github.com/svga",
    "[SVGA*",
  ],
  [
    "a player of videos",
    "github.com/renzifeng/ZFPlayer, github.com/changsanjiang/SJVideoPlayer and others",
    `[ZFPlayer* [ZFAVPlayer* [ZFIJKPlayer* [SJVideoPlayer* [SJBaseVideo* [SJAVMedia* [WMPlayer*
    [KxMovie* [KxVideo* [AliyunPlayer* [AliPlayer* [TXLive* [TXVod* [TXUGC* [V2TXLive*
    [PLPlayer* [PLMediaStreaming* [PLShort* [LFLive* [BCOVPlay* [BCOV* [THEOplayer* [JWPlayer*
    [JWP* [KSYMedia* [VKVideoPlayer* [XCDYouTube* [YTPlayerView*`,
  ],
  [
    "GPUImage",
    "github.com/BradLarson/GPUImage",
    `[GPUImage* runSynchronouslyOnVideoProcessingQueue runAsynchronouslyOnVideoProcessingQueue
    runSynchronouslyOnContextQueue`,
  ],
  [
    "a library of audio",
    "github.com/tumtumtum/StreamingKit, github.com/muhku/FreeStreamer, github.com/TheAmazingAudioEngine and others",
    `[STKAudio* [STKHTTP* [STKLocal* [STKAuto* [STKDataSource* [STKCore* [FSAudio* [DOUAudio*
    [DOUMPMedia* [EZAudio* [EZMicrophone [EZOutput [EZRecorder [EZPlayer [AEAudio*
    [AEPlaythrough* [AEFloat* [AEBlock* [AEMessage* TPCircularBuffer* [Novocaine [PdAudio*
    [PdBase* [TAAE* [ORGMEngine* [ORGMInput* [ORGMOutput* [OALSimple* [OALAudio* [ALWrapper
    [ALSource* [ALSoundSource*`,
  ],
  [
    "a library of networking",
    "github.com/MugunthKumar/MKNetworkKit, github.com/yuantiku/YTKNetwork, github.com/swisspol/GCDWebServer and others",
    `[MKNetwork* [STHTTPRequest* [YTKRequest* [YTKNetwork* [YTKBaseRequest* [YTKBatch* [YTKChain*
    [GCDWeb* [SIOSocket* [MQTTSession* [MQTTCFSocket* [MQTTDecoder* [MQTTEncoder*
    [MQTTTransport* [MQTTStrict* [MQTTMessage* [MQTTSSL* [MQTTCoreData* [PubNub* [PTPusher*
    [ARTRealtime* [ARTRest* [ARTWebSocket* [AsyncSocket [AsyncUdpSocket [PSWebSocket* [TCBlob*
    [BLIP* [CocoaSPDY* [SPDYSession* [SPDYProtocol* [SPDYStream* [SimplePing [TRVSEvent*`,
  ],
  [
    "SocketRocket",
    "github.com/facebookincubator/SocketRocket",
    `[SRRunLoopThread [SRIOConsumer* [SRDelegateController [SRProxyConnect [SRHTTPConnect*
    [SRPinning* [SRSecurityPolicy`,
  ],
  [
    "XMPPFramework",
    "github.com/robbiehanson/XMPPFramework",
    "[XMPP* [XMPPv* [DDXML*",
  ],
  [
    "Amplitude",
    "github.com/amplitude",
    "[Amplitude [AMPDatabase* [AMPDevice* [AMPIdentify* [AMPEvent*",
  ],
  [
    "Branch",
    "github.com/BranchMetrics/ios-branch-deep-linking-attribution",
    "[BNC* [BranchOpen* [BranchInstall* [BranchUniversal* [BranchEvent* [BranchLogger",
  ],
  [
    "a service of analytics",
    "their SDKs: Localytics, Countly, Kochava, Leanplum, Swrve, Segment, Adobe, Optimizely, GameAnalytics, TalkingData, GrowingIO, SensorsData and others",
    `[Localytics* [Countly* [CLY* [Kochava* [KVATracker* [KVAEvent* [TuneEvent* [TuneManager*
    [MobileAppTracker* [Apptentive* [Leanplum* [LPRequest* [LPAction* [LPVar* [LPInternal*
    [Swrve* [SEGAnalytics* [SEGSegment* [SEGHTTP* [SEGState* [SEGIntegration*
    [SEGMiddleware* [SEGBlockMiddleware* [SEGDestinationMiddleware* [SEGStoreKit* [SEGFileStorage*
    [SEGUserDefaultsStorage* [SEGWebhook* [SEGTrackPayload* [SEGScreenReporting*
    [SEGIdentifyPayload* [SEGReachability* [ADBMobile* [ADBAnalytics*
    [ACPCore* [ACPExtension* [ACPNetwork* [AEPCore* [Optimizely* [OPTLY* [Crittercism*
    [Instabug* [IBGBug* [IBGNetwork* [IBGHTTP* [Apptimize* [Taplytics* [SCORStream*
    [SCORAnalytics* [SCORConfiguration* [MoatAd* [Bugly* [TalkingData* [TDGA* [Growing*
    [SensorsAnalytics* [Zhuge* [MTAHelper* [MTA [GameAnalytics* [PHGPost* [PostHog*
    [PHGIntegration* [SnowplowTracker* [SPEmitter* [SPSqlite* [KeenClient* [Parsely* [CleverTap*
    [CTLocal* [MoEngage* [MOAnalytics* [WebEngage* [WEGAnalytics* [RSClient* [RSMInternal* [Heap
    [HeapAutocapture* [GlassboxSDK* [DynatraceM* [Dynatrace* [ADEumInstrumentation* [ADEum*
    [Appsee* [UXCam* [Smartlook* [FullStory* [Embrace* [EMBSession* [EMBCrash* [Raygun*
    [Rollbar* [RollbarNotifier* [TestFairy*`,
  ],
  [
    "a service of push messages",
    "their SDKs: Airship, Getui, Jiguang, XG, MiPush, Pushwoosh and others",
    `[UAirship* [UAPush* [UAAction* [UAInbox* [UAChannel* [UAAnalytics* [UA_FMDatabase*
    [UAAutomation* [GeTuiSdk* [GtSdk* [GTSDK* [MiPush* [XGPush* [JCOREService* [JANALYTICS*
    [Pushwoosh* [PWManager* [PWRequest* [PWInApp* [Pushbots* [Kumulos* [KumulosSDK* [Xtremepush*
    [Notificare* [WonderPush* [AccengageSDK* [BMA4S*`,
  ],
  [
    "AWS' SDK",
    "github.com/aws-amplify",
    "[AWS*",
  ],
  [
    "a service of chats",
    "their SDKs: RongCloud, NetEase, EaseMob, Tencent IM, Sendbird, Layer, Quickblox, Twilio",
    `[RCIM* [RCConversation* [RCCore* [RCRTC* [NIMSDK* [NIMManager* [NIMKit* [NIMMessage*
    [NIMSession* [EMClient* [EMChatManager* [EMConversation* [V2TIM* [TIMManager* [TUIKit*
    [TUIChat* [SBDMain* [SBDChannel* [SBDMessage* [LYRClient* [LYRUI* [ATLConversation* [QBChat*
    [QBRequest* [QBRTC* [TCHClient* [TCHChannel* [TWCClient* [Agora* [ZegoExpress* [ZegoLive*
    [TRTCCloud* [TVI* [OTSession* [OTPublisher* [OTSubscriber* [MobileRTC* [ZoomSDK*
    [ZoomVideoSDK*`,
  ],
  [
    "a social network's SDK",
    "their SDKs: Weibo, ShareSDK, UMeng, VK, LINE, Twitter, Snapchat, TikTok, LinkedIn, Kakao, Pinterest",
    `[WeiboSDK* [WBHttpRequest [WBAuthorize* [SSDK* [MOBFramework* [MOBF* [VKSdk* [VKRequest*
    [VKHTTP* [VKAccessToken [LineSDK* [TWTR* [SCSDK* [TikTokOpen* [DouyinOpen* [LISDK*
    [KakaoOpen* [KOSession* [PDKClient [OKSDK [DiscordSDK* [AlipaySDK* [AFServiceCenter
    [APayAuth*`,
  ],
  [
    "AppLovin's SDK",
    "github.com/AppLovin",
    `[ALCCommunicator* [ALMediation* [ALInterstitial* [ALIncentivized* [ALEvent* [MASdk*
    [MAMediation* [ALTask* [ALVast* [ALUtils*`,
  ],
  [
    "a service of advertisements",
    "their SDKs: ironSource, Chartboost, InMobi, MoPub, Pangle, Tencent, Kuaishou, Mintegral, Smaato, PubMatic, Amazon, Yandex, myTarget, Appodeal, StartApp, Fyber, Criteo, BidMachine, OMSDK",
    `[DFP* [IronSource* [ISNativeAd* [ISAdapter* [ISBanner* [ISInterstitial* [ISRewardedVideo*
    [Chartboost* [CHBInterstitial* [CHBRewarded* [CHBBanner* [InMobi* [IMSdk* [IMBanner*
    [IMNative* [IMInterstitial* [MPAdView* [MPInterstitialAd* [MPNativeAd* [MPBannerAd*
    [MPConsent* [MPAdServer* [BUAd* [BUNative* [BURewarded* [BUSplash* [BUInterstitial* [PAGAd*
    [PAGBanner* [PAGNative* [GDTUnified* [GDTMob* [GDTSDK* [GDTSplash* [GDTNative* [GDTReward*
    [KSAd* [KSUAd* [BaiduMobAd* [Sigmob* [WindMill* [TradPlus* [MTG* [SmaatoSDK* [SOMA*
    [POBBanner* [POBInterstitial* [POBReward* [OpenWrap* [PBMAd* [PBMHTML* [OMID* [CR_*
    [CRBanner* [CRInterstitial* [DTBAd* [DTBAdLoader [YMA* [YMMYandexMetrica* [AMAAppMetrica*
    [MTRG* [Appodeal* [APDSdk* [STAStartApp* [STABanner* [FYB* [Supersonic* [HeyzapAds*
    [HZInterstitial* [NADView* [Ogury* [HyBid* [PNLite* [BDMSdk* [BDMRequest* [BDMBanner*
    [VASAds* [VASPlacement* [IAInneractive* [IAAd* [Inneractive* [DIOController* [Presage* [TJC*
    [RevMob* [Leadbolt* [AdMob* [GreystripeS* [JumpTap* [PlayHaven* [PHPublisher* [Kiip*
    [AerServ* [Mobfox* [MobFox* [TeadsSDK* [TeadsAd* [Outbrain* [Taboola* [TBLClassic* [UADSApi*
    [YuMi* [Maio* [MaioIns* [NendAd* [Adfurikun* [ADFm* [AdMarvel* [Flymob*`,
  ],
  [
    "a service of advertisements",
    "github.com/googleads/googleads-mobile-ios-mediation and mopub/mopub-ios-mediation: the classes that they call",
    `[CHBMediation* [CHBCache* [CHBClick* [CHBShow* [CHBStart* [CHBDismiss* [CHBReward*
    [IASDKCore* [IAMediation* [IAFullscreenUnit* [IANativeAd* [IAVideoContent* [IAViewUnit*
    [IAMRAID* [IMPrivacyCompliance* [IMRequestStatus* [ISABanner* [ISAInterstitial*
    [ISARewarded* [ISAInitRequest* [LevelPlay* [ImobileSdk* [FADAdLoader* [FADAdView*
    [FADInterstitial* [FADNative* [FADVideoReward* [PAGLAppOpen* [PAGLInterstitial*
    [PAGLNative* [PAGLMaterial* [PAGSdk* [PAGInterstitial* [PAGRewarded* [PAGAppOpen*
    [PAGBiddingRequest* [SAKAd* [SAKInterstitial* [SAKMobileAd* [SAKRewarded* [SAKRegister*
    [VASInline* [VASInterstitial* [VASNative* [VASErrorInfo* [VASRequestMetadata*
    [BUFullscreenVideo*`,
  ],
  [
    "Unity Ads",
    "docs.unity.com/ads",
    `[UnityAds* [UnityServices* [UMONInit* [GMASCAR* [GMAQuery* [GMAVersion* [GMABase*
    [GMAGenericAds* [GMAAdLoader* [GMAWebViewEvent* [USTRApi* [USTRStore* [USTRAppSheet*
    [UANAApi* [UARApi* [IUSRV*`,
  ],
  [
    "Vungle",
    "github.com/Vungle",
    "[VNG*",
  ],
  [
    "a service of customer support",
    "their SDKs: Zendesk, Helpshift, UserVoice, Freshchat, Qiyu, Salesforce, LivePerson, Udesk, Gladly",
    `[ZDKSupport* [ZENSupport* [Helpshift* [HsApi* [UVBase* [UVClientConfig [UVArticle [UserVoice
    [Freshchat* [Hotline* [FDLocal* [QYSDK* [QYSession* [Udesk* [SCServiceCloud* [SFRest*
    [SFSDK* [SFUser* [SFSmartStore* [SFOAuth* [SCSChat* [LPMessaging* [ZNGConversation*
    [SKTUser* [Smooch*`,
  ],
  [
    "Stripe's SDK",
    "github.com/stripe/stripe-ios",
    "[STP*",
  ],
  [
    "a service of payments",
    "their SDKs: Braintree, PayPal, card.io, Square, Adyen, Razorpay, Klarna, RMStore",
    `[BTAPIClient* [BTCard* [BTPayPal* [BTDropIn* [BTUI* [BTVenmo* [BTAppSwitch* [BTAnalytics*
    [PayPal* [PPOT* [CardIO* cardio::* [SQRD* [SQIP* [Adyen* [Razorpay* [Klarna* [RMStore*
    [RMAppReceipt* [Omise* [Judo*`,
  ],
  [
    "a library of maps",
    "Esri, HERE, route-me, Yandex, NAVER, Kakao, Skobbler, CARTO, Baidu, AMap",
    `[AGS* [NMA* [RMMapView* [RMTile* [RMAnnotation* [RMMarker* [RMMapContents* [YMK* [YRT*
    [NMFMap* [NMGLat* [MTMap* [SKMapView* [BMKLocation* [BMKSearch* [BMKPoi* [BMKGeo* [BMKRoute*
    [BMKAnnotation* [MAMapView* [MAAnnotation* [MAOverlay* [MAPolyline* [QMapView* [WhirlyGlobe*
    [WhirlyKit* [Maply* WhirlyKit::* MaplyKit::* [MBX* [MBMMap* [MBNNMap* [MBTile* [TGMap*
    [CartoMobile* carto::*`,
  ],
  [
    "Couchbase Lite",
    "couchbase.com",
    `[CBLDatabase* [CBLQuery* [CBLDocument* [CBLReplicat* [CBLManager* [CBL_* [CBLModel*
    [CBLRemote* [CBLSync* [CBLSocket* [CBLWebSocket* [TDDatabase* [TDView*`,
  ],
  [
    "a library of storage",
    "github.com/tumblr/TMCache, github.com/soffes/SAMKeychain, github.com/square/Valet, LKDBHelper and others",
    `[TMCache [TMDiskCache [TMMemoryCache [SAMKeychain* [SSKeychain* [UICKeyChain* [VALValet*
    [VALSecure* [Lockbox [PDKeychain* [FXKeychain [FDKeychain [EGOCache [EGODatabase* [LKDB*
    [FCModel* [FCMObjects* [BGFMDB* [BGDB* [Ensembles* [CDEPersistent* [CDEEvent* [CDEICloud*
    [TICDS* [SSManagedObject [HYPSync* [DATAStack* [SYNCPropertyMapper* [PLDatabase* [PLSqlite*`,
  ],
  [
    "CocoaLumberjack",
    "github.com/CocoaLumberjack",
    `[DDASLLogger [DDOSLogger [DDAbstract* [DDLogFile* [DDLoggerNode [DDLogMessage [DDContext*
    [DDMultiFormatter [DDDispatchQueueLog*`,
  ],
  [
    "NSLogger",
    "github.com/fpillet/NSLogger",
    `LoggerStart* LoggerWrite* LoggerWorkerThread LoggerMessage* LoggerTry* LoggerPush*
    LoggerConsoleGrab* LoggerCreate*`,
  ],
  [
    "a library of archives",
    "github.com/ZipArchive/ZipArchive, github.com/MacPaw/XADMaster and others",
    `[SSZipArchive* [ZipArchive* [ZKFileArchive* [ZKDataArchive* [ZKCD* [ZKLF* [OZZip*
    [ZZArchive* [URKArchive* [URK* [LzmaSDK* [XADArchive* [XADHandle* [XADMaster* [XADLZ*
    [XADRAR* [XADZip* [CSHandle* [CSFileHandle* [CSStream* [NVHTarGzip* [DCTar*`,
  ],
  [
    "RNCryptor",
    "github.com/RNCryptor",
    "[RNCryptor* [RNEncryptor* [RNDecryptor*",
  ],
  [
    "a library of XML or HTML",
    "github.com/graetzer/GDataXML-HTML, github.com/topfunky/hpple, github.com/mattt/Ono and others",
    `[GDataXML* [TFHpple* [RXMLElement* [TBXML* [ONOXML* [XMLDictionary* [SMXML* [OCGumbo*
    [HTMLParser [HTMLNode [CXMLNode [CXMLDocument [CXMLElement [APDocument [APElement`,
  ],
  [
    "a reader of barcodes",
    "github.com/zxingify/zxingify-objc, github.com/ZBar, Scandit, MTBBarcodeScanner",
    `[ZXCapture* [ZXQR* [ZXDecode* [ZXBit* [ZXBinary* [ZXHybrid* [ZXMulti* [ZXReed* [ZXGeneric*
    [ZXCGImage* [ZXLuminance* [ZXGlobal* zxing::* [ZXing* [ZBar* zbar_* [SBSBarcode* [SBSScan*
    [SDCData* [SDCBarcode* [MTBBarcode* [LBXScan* [QRCodeReader* ZXing::*`,
  ],
  [
    "PSPDFKit (Nutrient)",
    "pspdfkit.com",
    "[PSPDF* pspdf::*",
  ],
  [
    "Cordova",
    "github.com/apache/cordova-ios",
    "[CDV*",
  ],
  [
    "Capacitor",
    "github.com/ionic-team/capacitor, ios/Capacitor",
    `[CAPBridge* [CAPPlugin* [CAPInstance* [CAPApplication* [CAPHttp* CapacitorBridge.*
    CAPBridge* CAPApplicationDelegate* WebViewDelegationHandler.* CapacitorUrlRequest.*`,
  ],
  [
    "PhoneGap",
    "github.com/phonegap",
    "[PhoneGap* [PGPlugin*",
  ],
  [
    "React Native's navigation (react-native-navigation)",
    "github.com/wix/react-native-navigation",
    "[RNN*",
  ],
  [
    "React Native Screens",
    "github.com/software-mansion/react-native-screens",
    `[RNS* [RNSTab* [RNSSplit* [RNSSearchBar* [RNSFullWindow* [RNSBottomTab* [RNSConvert*
    [RNSEnums* [RNSModal* [RNSContainer*`,
  ],
  [
    "a community module of React Native",
    "github.com/react-native-community and others",
    `[RNC* [RNFSManager* [RNFetchBlob* [ReactNativeBlobUtil* [RNVectorIcons* [RNPermissions*
    [RNCamera* [RNSound* [RNPushNotification* [RNIap* [RNShare* [RNImagePicker* [RNImageCrop*
    [RNGoogleSignin* [RNGoogleMobileAds* [RNAdMob* [RNNotif* [RNKeychain* [RNLocalize*
    [RNDateTimePicker* [RNBootSplash* [RNSplashScreen* [RNBranch* [RNPurchases* [RNSentry*
    [RNBackground* [RNBluetooth* [RNConfig* [RNDocumentPicker* [RNFileViewer* [RNHaptic*
    [RNInAppBrowser* [RNLanguages* [RNOrientation* [RNQuickAction* [RNRate* [RNTrackPlayer*
    [RNViewShot* [RNZipArchive* [RNAppsFlyer* [RNAWS* [RNCallKeep* [RNVoip* [RNEventEmitter*
    [RNGeolocation* [RNFusedLocation* [BleManager* [BlePlx* [BleClient* [LottieAnimationView*
    [ARTSurfaceView* [ARTNode* [SMSRetriever* [WebRTCModule* [InCallManager [RNMBX* [RCTMGL*
    [CameraRoll* [SkiaManager [SkiaUIView [SkiaPictureView RNSkia::* [VisionCamera* [FastImage*
    [RNInstabug* [RNMapbox* [ReactNativeShare*`,
  ],
  [
    "Nitro modules of React Native",
    "github.com/mrousavy/nitro",
    "margelo::*",
  ],
  [
    "Expo's modules",
    "github.com/expo/expo, packages",
    `expo::* [EXApp* [EXExport* [EXModule* [EXReact* [EXLinking* [EXGL* EXGL* [EXPermission*
    [EXImage* [EXScreen* [EXVideo* [EXConstants* [EXBarCode* [EXCamera* [EXLocation* [EXTask*
    [EXSQLite* [EXSplash* [EXJSI* [EXJavaScript* [EXNative* [EXVersion* [EXKernel* [EXDev*
    [EXScoped* [EXUserNotification* [EXRaw* [EXBackground* [EXContacts* [EXCalendar* [EXUtil*
    [EXFile* [EXAuth* [EXWebBrowser* ExpoAppDelegate* ExpoRequestInterceptor* ExpoRequestCdp*
    ExpoReact* ExpoFabric* ExpoBridgeModule* [ExpoBridge* [ExpoFabric* [ExpoModules*
    ExpoModulesCore.* [UMModule* [UMReact* [UMApp* [UMExport* EXUpdates.* [ABI*`,
  ],
  [
    "a plug-in of Flutter",
    "github.com/flutter/packages, pub.dev: sqflite, flutter_local_notifications, flutter_webrtc, flutter_inappwebview and others",
    `[SqflitePlugin* [SqfliteDatabase* [SqfliteDarwin* [FlutterLocalNotif* [FlutterSecureStorage*
    [FlutterWebRTC* [FlutterBlue* [FlutterInAppWebview* [FlutterDownloader* [FlutterTts*
    [FlutterRTC* [PathProvider* [SharedPreferencesPlugin* [PermissionHandler* [PermissionManager
    [UrlLauncherPlugin* [VideoPlayerPlugin* [FVP* [FIA* [FSI* [FIAP* [InAppPurchasePlugin*
    [GeolocatorPlugin* [AudioplayersPlugin* [JustAudioPlugin* [CameraPlugin* [WebviewFlutter*
    [FWF* [FSSSharedPref* [ConnectivityPlus* [FPPDevice* [FPPPackage* [FPPShare* [DevicePlugin*
    [IntegrationTestPlugin* InAppWebView.* FlutterWebViewController.* [GoogleMapController*
    [FGM*`,
  ],
  [
    "Flutter's engine",
    "github.com/flutter/flutter, engine",
    `[FlutterView* [FlutterPlatform* [FlutterTexture* [FlutterStandard* [FlutterDart*
    [FlutterBinary* [FlutterUndo* [FlutterKeyboard* [FlutterTextInput* [FlutterSemantics*
    [FlutterMetal* [FlutterOverlay* [FlutterTouch* [FlutterScene* [FlutterEngine* [FlutterJSON*
    [FlutterHeadless* [FlutterEmbedder* [FlutterChannel* [FlutterRestoration* [FlutterSpell*
    [FlutterInactive* [FlutterSecureText* [FlutterMutator* [VSyncClient* [FlutterVSync*`,
  ],
  [
    "NativeScript",
    "github.com/NativeScript",
    "[NativeScript* tns::* [TNS* NativeScript::*",
  ],
  [
    "Weex",
    "weex.apache.org",
    `[WXSDK* [WXBridge* [WXComponent* [WXModule* [WXJSCore* [WXRender* [WXLayout*
    [WXListComponent* [WXScroller* [WXTextComponent* [WXTextInput* [WXImageComponent*
    [WXWebSocket* [WXPageEvent* WeexCore::*`,
  ],
  [
    "uni-app, APICloud or Hippy",
    "dcloud.io, apicloud.com, github.com/Tencent/Hippy",
    `[DCUni* [PDRCore* [PDRNView* [PDRExend* [UZModule* [UZAppDelegate* [UZWebView* [Hippy*
    hippy::*`,
  ],
  [
    "a library of tests or mocks",
    "github.com/erikdoe/ocmock, github.com/kiwi-bdd, github.com/kif-framework and others",
    `[OCMock* [OCClassMock* [OCPartialMock* [OCMStub* [OCMArg* [OCMBlock* [OCMInvocation*
    [KWExample* [KWMatch* [KWMock* [KWSpec* [SPTExample* [SPTSpec* [KIF* [EXPExpect*
    [FBSnapshotTest* [OHHTTPStubs* [Nocilla* [LSNocilla* [LSStub* [Typhoon* [JSObjection*
    [OCHamcrest* [MKTObject* [MKTMock*`,
  ],
  [
    "a tool for debugging inside programs",
    "github.com/FLEXTool/FLEX, github.com/didi/DoraemonKit, github.com/Tencent/matrix and others",
    `[FLEX* [PDDebugger [PDNetworkDomain* [MLeaksFinder* [MLeakedObject* [Doraemon* [LLDebug*
    [LLMonitor* [Bagel* [NFXProtocol* [NFXHTTP* [JPEngine [JPBoxing [AspectIdentifier
    [AspectsContainer [AspectTracker [MTHawkeye* [MTHNetwork* [MTHOpenGL* [MTHThread*
    [WCCrashBlock* [WCBlockMonitor* [WCMemoryStat* [WCDumpInterface [WCFPS* [WCCPU* [WPKSetup*
    [WPKCrash* [WPKAF* [WPKReach* [WPKThread* [WPKInstrument* [UMCrash* [UMAPM* [UMAN*
    [DTXReflow* [DTXRecord* [DTXSync* [LPCalabash* [LPServer* [LPRouter* [LPHTTP* [CocoaDebug*`,
  ],
  [
    "Three20 or Nimbus",
    "github.com/facebookarchive/three20, github.com/jverkoey/nimbus",
    `[TTURL* [TTTableView* [TTModel* [TTNavigator* [TTPhoto* [TTStyle* [TTImageView [TTLauncher*
    [TTThumb* [TTPicker* [TTMessage* [TTBase* [TTDefault* [TTView [TTWeb* [NIMutable*
    [NITableView* [NIPhoto* [NINetworkImage* [NICell* [NIAttributed* [NIOverview* [NICollection*`,
  ],
  [
    "QMUI",
    "github.com/Tencent/QMUI_iOS",
    "[QMUI* QMUI* (QMUI (QMUI_*",
  ],
  [
    "Sparkle",
    "github.com/sparkle-project/Sparkle",
    `[SPU* [SUAppcast* [SUUpdate* [SUBasic* [SUUser* [SUScheduled* [SUHost* [SUInstall*
    [SUStatus* [SUUnarchiver* [SUBinaryDelta* [SUPipedUnarchiver* [SUDiskImage* [SUCodeSign*
    [SUDSA* [SUSignature* [SUFileManager [SUStandardVersion* [SUAutomatic* [SUProbing* [SUPlain*
    [SUFlat*`,
  ],
  [
    "a library of Mac applications",
    "MASShortcut, ShortcutRecorder, Growl, LetsMove, Paddle, DevMate, PXSourceList, BGHUDAppKit and others",
    `[MASShortcut* [MASPreferences* [MASDictionary* [RHPreferences* [DDHotKey* [SGHotKey*
    [PTHotKey* [PTKeyCombo* [INAppStoreWindow* [INWindow* [GrowlApplicationBridge* [BGHUD*
    [PXSourceList* [SRRecorder* [SRShortcut* [SRKeyCode* [SRValidator* [SRModifier*
    PFMoveToApplicationsFolder* [DevMate* [DM_SU* [PADProduct* [Paddle* [FsprgEmbedded*
    [MGSFragaria* [SMLTextView* [SMLSyntax* [CDEvents [VDKQueue* [UKKQueue* [OGRegular*
    [OgreText* rkl_* [BWAnchored* [BWTexturedSlider* [BWTransparent* [BWSplitView* [BWToolbar*
    [RFOverlay* [SFBPopover* [ITSwitch* [LVDebounced* [NUDock* [CCNStatus* [CCNPreferences*
    [STPrivileged* [JNWCollection* [JNWScroll* [JNWTable* [TUIView* [TUITable* [TUINSView*
    [TUINSWindow [TUIText* [WAYWindow* [YRKSpinning* [DSFloat*`,
  ],
  [
    "MailCore or libetpan",
    "github.com/MailCore/mailcore2",
    "[MCO* mailcore::* mailimap_* mailstream_* mailmime_* mailsmtp_* newsnntp_* mailpop3_*",
  ],
  [
    "ObjectiveGit or OctoKit",
    "github.com/libgit2/objective-git",
    `[GTRepository* [GTCommit* [GTBranch* [GTReference* [GTTree* [GTDiff* [GTObject* [GTOID*
    [GTIndex* [GTRemote* [OCTClient* [OCTObject* [OCTResponse*`,
  ],
  [
    "OAuth libraries",
    "github.com/openid/AppAuth-iOS, github.com/nxtbgthng/OAuth2Client, Auth0, Okta",
    `[OIDAuthorization* [OIDService* [OIDExternal* [NXOAuth2* [A0Lock* [A0Auth* [A0Token*
    [OAMutable* [OAConsumer [OADataFetcher* [OAAsynchronous* [MSAL* [MSID* [ADAL*
    [ADAuthentication* [ADToken* [OKTA* [SimpleAuth*`,
  ],
  [
    "Microsoft's SDKs",
    "github.com/microsoft",
    `[MSAC* [MSAnalytics* [MSChannel* [MSDistribute* [MSPush* [MSServiceAbstract* [INTUNE*
    [IntuneMAM* [CMAR* [MSGraph* [ODClient* [ODHttp* [BITHockey* [BITAttributed* [BITActive*
    [BITApp* [BITArrow* [BITImage* [BITKeychain* [BITHTTP* [BITSession* [BITWeb* [BITBase*
    [BITActivity* [BITFile* [BITUpdate* [BITStore* [BITFeedback* [BITTelemetry* [BITChannel*
    [BITAuthenticator* [BITMetrics* [BITPersistence* [BITSender*`,
  ],
  [
    "Dropbox's or Box's SDK",
    "github.com/dropbox, github.com/box",
    `[DBRestClient [DBTransportDefault* [DBOAuth* [DBUSER* [DBClients* [BOXClient* [BOXRequest*
    [BOXAPI* [BoxSDK*`,
  ],
  [
    "Google's Protocol Buffers or gRPC",
    "github.com/protocolbuffers, github.com/grpc",
    "[GRXWriter* [GRXBuffered*",
  ],
  [
    "Spotify's SDK",
    "developer.spotify.com",
    `[SPTAppRemote* [SPTAudio* [SPTAuth* [SPTSession* [SPTConfiguration* [SPSession [SPPlaylist*
    [SPCoreAudio*`,
  ],
  [
    "Nearby, Estimote, Kontakt or another library of beacons",
    "estimote.com, kontakt.io, gimbal.com",
    `[ESTBeacon* [ESTConnect* [ESTCloud* [ESTProximity* [KTKBeacon* [KTKDevice* [Gimbal* [GMBL*
    [QLContext*`,
  ],
  [
    "a library of pictures or recognition",
    "Microblink, Regula, Anyline, Onfido, Jumio, Vuforia, Wikitude, Banuba, DeepAR, BytePlus, FaceUnity",
    `[MBRecognizer* [Anyline* [Onfido* [Jumio* [Netverify* [Vuforia* Vuforia::* QCAR::*
    [Wikitude* [WTArchitect* [BanubaSdk* [BNB* bnb::* [DeepAR* [FUManager* [FURender*
    [FURenderKit* [STMobile* [MLKit* mlkit::* [GMV*`,
  ],
  [
    "OpenCV",
    "opencv.org, modules/videoio and highgui",
    "[CvVideoCamera* [CvAbstractCamera* [CvPhotoCamera* [CVView [CVWindow [CaptureDelegate",
  ],
  [
    "MoltenVK",
    "github.com/KhronosGroup/MoltenVK",
    "[MVKBlock*",
  ],
  [
    "TensorFlow",
    "github.com/tensorflow/tensorflow",
    "[TFL* TfLite* xnn_* xnnpack_* ruy::* gemmlowp::*",
  ],
  [
    "PyTorch",
    "github.com/pytorch/pytorch",
    "caffe2::* at::*",
  ],
  [
    "Realm",
    "github.com/realm/realm-swift",
    "[RLMSyncManager*",
  ],
  [
    "ReactiveCocoa",
    "github.com/ReactiveCocoa/ReactiveObjC",
    `[RAC* [RACStream [RACTuple* [RACDynamic* [RACEvent* [RACEager* [RACEmpty* [RACError*
    [RACReturn* [RACSerial* [RACQueue* [RACTarget* [RACTest* [RACUnit [RACUnary* [RACValue*
    [RACScoped* [RACBehavior* [RACChannel* [RACGroupedSignal [RACIndex* [RACDelegateProxy
    (RACSelectorSignal (RACSupport (RACPropertySubscribing (RACKVOWrapper (RACDeallocating
    (RACLifting`,
  ],
  [
    "PromiseKit",
    "github.com/mxcl/PromiseKit",
    "[AnyPromise* [PMKPromise* [__AnyPromise* PMKManifold*",
  ],
  [
    "Titanium",
    "github.com/tidev/titanium-sdk",
    `[TiProxy [TiModule [TiApp [TiHost [TiUtils [KrollObject* [KrollBridge* [KrollUnprotect*
    [KrollTimer* [KrollCallback* TiThread* TiLogMessage TiExceptionHandle*`,
  ],
  [
    "OneSignal",
    "github.com/OneSignal",
    "[OSNotification* [OSInAppMessage* [OSMessaging* [OSUser* [OSSubscription* [OSRequest*",
  ],
];

/** Whose libraries are, where they are documented, and the names of their files, which are those of Swift's modules, too; no words that
 * programs have for names as well. */
export const files: Names = [
  [
    "SnapKit or TinyConstraints",
    "github.com/SnapKit",
    "SnapKit TinyConstraints Cartography",
  ],
  [
    "Moya",
    "github.com/Moya/Moya",
    "Moya RxMoya CombineMoya",
  ],
  [
    "Lottie",
    "github.com/airbnb/lottie-ios",
    "Lottie DotLottie",
  ],
  [
    "RxSwift",
    "github.com/ReactiveX/RxSwift",
    "RxRelay RxDataSources Differentiator RxBlocking RxGesture RxSwiftExt",
  ],
  [
    "SwiftyJSON, ObjectMapper or HandyJSON",
    "github.com/SwiftyJSON",
    "SwiftyJSON ObjectMapper AlamofireObjectMapper HandyJSON",
  ],
  [
    "Charts",
    "github.com/ChartsOrg/Charts",
    "DGCharts",
  ],
  [
    "Starscream or Socket.IO",
    "github.com/daltoniam/Starscream",
    "Starscream SocketIO",
  ],
  [
    "PromiseKit",
    "github.com/mxcl/PromiseKit",
    "PromiseKit PMKFoundation AwaitKit",
  ],
  [
    "Nuke",
    "github.com/kean/Nuke",
    "Nuke NukeUI NukeExtensions",
  ],
  [
    "Swift Protobuf or gRPC Swift",
    "github.com/apple/swift-protobuf",
    "SwiftProtobuf GRPC GRPCCore CGRPCZlib",
  ],
  [
    "Apollo",
    "github.com/apollographql",
    "Apollo ApolloAPI ApolloSQLite ApolloWebSocket",
  ],
  [
    "SwiftNIO",
    "github.com/apple/swift-nio",
    `NIOCore NIOPosix NIOHTTP1 NIOHTTP2 NIOSSL NIOTransportServices NIOConcurrencyHelpers
    NIOFoundationCompat NIOWebSocket _NIODataStructures _NIOBase64`,
  ],
  [
    "Swift's packages of its own project",
    "github.com/apple",
    `DequeModule OrderedCollections HashTreeCollections ArgumentParser AsyncAlgorithms
    _CryptoExtras SystemPackage`,
  ],
  [
    "Vapor",
    "github.com/vapor",
    `Vapor FluentKit FluentSQL AsyncKit RoutingKit WebSocketKit AsyncHTTPClient MultipartKit
    SQLKit PostgresNIO MySQLNIO SQLiteNIO`,
  ],
  [
    "ReactiveSwift",
    "github.com/ReactiveCocoa",
    "ReactiveSwift ReactiveObjC",
  ],
  [
    "CryptoSwift",
    "cryptoswift.io",
    "CryptoSwift",
  ],
  [
    "KeychainAccess",
    "github.com/kishikawakatsumi/KeychainAccess",
    "KeychainAccess KeychainSwift SwiftKeychainWrapper",
  ],
  [
    "IQKeyboardManager",
    "github.com/hackiftekhar/IQKeyboardManager",
    "IQKeyboardManagerSwift IQKeyboardCore IQKeyboardToolbarManager",
  ],
  [
    "a library of views",
    "CocoaPods: SwiftMessages, SkeletonView, FSPagerView, JTAppleCalendar, NVActivityIndicatorView and others",
    `SwiftMessages SkeletonView FSPagerView JTAppleCalendar NVActivityIndicatorView Toast_Swift
    ESPullToRefresh PanModal FloatingPanel XLPagerTabStrip Tabman Pageboy BonMot ActiveLabel
    MarkdownUI Highlightr SwiftUIIntrospect SDWebImageSwiftUI SwiftEntryKit SwipeCellKit
    MessageKit InputBarAccessoryView ImageSlideshow Koloda YPImagePicker SideMenu
    DZNEmptyDataSet JGProgressHUD TTTAttributedLabel PureLayout IGListKit AsyncDisplayKit
    FLAnimatedImage YYText YYImage YYModel YYWebImage ZLPhotoBrowser TZImagePickerController
    HXPhotoPicker JXSegmentedView CHIPageControl UICircularProgressRing
    CollectionViewPagingLayout LTMorphingLabel RSKImageCropper CropViewController
    TOCropViewController Mantis`,
  ],
  [
    "GRDB or SQLite.swift",
    "github.com/groue/GRDB.swift",
    "GRDB SQLCipher WCDB WCDBSwift MMKV",
  ],
  [
    "the Composable Architecture",
    "github.com/pointfreeco",
    "ComposableArchitecture SwiftNavigation CasePaths IdentifiedCollections",
  ],
  [
    "Swinject",
    "github.com/Swinject",
    "Swinject SwinjectAutoregistration SwinjectStoryboard",
  ],
  [
    "a library of logs",
    "github.com/DaveWoodCom/XCGLogger, github.com/SwiftyBeaver",
    "XCGLogger SwiftyBeaver",
  ],
  [
    "a library of archives",
    "github.com/weichsel/ZIPFoundation",
    "ZIPFoundation SSZipArchive ZipArchive SWCompression XADMaster",
  ],
  [
    "a library of XML or HTML",
    "github.com/scinfu/SwiftSoup",
    "SwiftSoup Kanna Fuzi SWXMLHash AEXML",
  ],
  [
    "Google Sign-In or its AppAuth",
    "github.com/google",
    "AppAuth AppAuthCore GTMAppAuth GTMSessionFetcher GTMSessionFetcherCore",
  ],
  [
    "Firebase or Google's libraries for it",
    "github.com/firebase",
    `GoogleUtilities GoogleDataTransport GoogleAppMeasurement FBLPromises PromisesObjC nanopb
    GoogleAppMeasurementIdentitySupport`,
  ],
  [
    "the Facebook SDK",
    "github.com/facebook/facebook-ios-sdk",
    "FacebookCore FacebookLogin FacebookShare",
  ],
  [
    "RevenueCat's SDK",
    "github.com/RevenueCat",
    "RevenueCat RevenueCatUI PurchasesHybridCommon",
  ],
  [
    "a service of purchases",
    "adapty.io, qonversion.io, superwall.com",
    "Adapty AdaptyUI Qonversion SuperwallKit",
  ],
  [
    "a service of analytics",
    "their SDKs",
    `PostHog SegmentAnalytics Snowplow SnowplowTracker CleverTapSDK MoEngageSDK MoEngageCore
    Instabug InstabugSDK UXCam FullStory Smartlook SmartlookAnalytics KochavaTracker BranchSDK
    Leanplum Countly Localytics Apptentive ApptentiveKit`,
  ],
  [
    "Sentry",
    "github.com/getsentry/sentry-cocoa",
    "Sentry SentrySwiftUI",
  ],
  [
    "Bugsnag, KSCrash or PLCrashReporter",
    "their sources",
    "Bugsnag BugsnagPerformance KSCrash CrashReporter PLCrashReporter",
  ],
  [
    "Crashlytics",
    "firebase.google.com",
    "FirebaseCrashlytics Crashlytics Fabric",
  ],
  [
    "a service of advertisements",
    "their SDKs",
    `UnityMediation ChartboostMediationSDK MTGSDK MTGSDKReward SmaatoSDKCore OMSDK_Google
    PrebidMobile AmazonPublisherServicesSDK DTBiOSSDK MyTargetSDK Appodeal BidMachine IASDKCore
    HyBid OgurySdk BigoADS YandexMobileAds YandexMobileMetrica TeadsSDK`,
  ],
  [
    "AWS' SDK",
    "github.com/aws-amplify",
    `AWSCore AWSS3 AWSCognito AWSMobileClient AWSMobileClientXCF Amplify AWSPluginsCore
    AWSCognitoAuthPlugin AWSAPIPlugin ClientRuntime`,
  ],
  [
    "an identity service",
    "auth0.com, okta.com",
    "OktaOidc OktaAuthSdk MSAL",
  ],
  [
    "a service of chats",
    "their SDKs",
    `SendbirdChatSDK StreamChat StreamChatUI LiveKit LiveKitClient LiveKitWebRTC ZoomVideoSDK
    MobileRTC OpenTok OpenTokSDK ImSDK ImSDK_Plus TXLiteAVSDK_TRTC RongIMLib RongIMLibCore
    NIMSDK HyphenateChat`,
  ],
  [
    "Mapbox",
    "github.com/mapbox",
    "Turf MapboxNavigation MapboxCoreNavigation MapboxNavigationNative MapLibre",
  ],
  [
    "Capacitor or Cordova",
    "github.com/ionic-team/capacitor",
    "Capacitor Cordova CapacitorCordova",
  ],
  [
    "React Native's modules",
    "github.com/software-mansion and others",
    `RNReanimated RNScreens RNGestureHandler RNSVG RNFBApp react_native_skia VisionCamera
    NitroModules`,
  ],
  [
    "Expo's modules",
    "github.com/expo/expo",
    `EXUpdates ExpoFileSystem ExpoImage ExpoVideo ExpoCamera ExpoNotifications ExpoSQLite
    EXNotifications EXConstants`,
  ],
  [
    "a plug-in of Flutter",
    "pub.dev",
    `sqflite sqflite_darwin path_provider_foundation shared_preferences_foundation
    video_player_avfoundation webview_flutter_wkwebview url_launcher_ios
    flutter_local_notifications flutter_inappwebview flutter_inappwebview_ios flutter_webrtc
    audioplayers_darwin just_audio geolocator_apple permission_handler_apple camera_avfoundation
    image_picker_ios firebase_core firebase_messaging cloud_firestore firebase_auth
    firebase_crashlytics google_maps_flutter_ios in_app_purchase_storekit flutter_secure_storage
    flutter_blue_plus connectivity_plus device_info_plus package_info_plus share_plus
    mobile_scanner`,
  ],
  [
    "Sparkle",
    "github.com/sparkle-project",
    ``,
  ],
  [
    "PSPDFKit (Nutrient)",
    "pspdfkit.com",
    "PSPDFKit PSPDFKitUI",
  ],
  [
    "Qt",
    "doc.qt.io",
    `QtCore QtGui QtWidgets QtNetwork QtQml QtQmlModels QtQuick QtQuickControls2
    QtQuickTemplates2 QtOpenGL QtOpenGLWidgets QtDBus QtSvg QtSvgWidgets QtXml QtSql
    QtConcurrent QtPrintSupport QtMultimedia QtMultimediaWidgets QtWebChannel QtWebSockets
    QtWebEngineWidgets QtWebEngineQuick QtPositioning QtSerialPort QtBluetooth QtPdf libQt5*
    libQt6* org.qt-project.Qt* libqcocoa.dylib`,
  ],
  [
    "wxWidgets",
    "wxwidgets.org",
    "libwx_*",
  ],
  [
    "GTK or GLib",
    "gtk.org",
    `libgtk-* libgdk-* libgdk_* libglib-2* libgobject-2* libgio-2* libgmodule-2* libgthread-2*
    libpango-1* libpangocairo-1* libpangoft2-1* libcairo.2* libatk-1*`,
  ],
  [
    "gettext's libintl",
    "gnu.org/software/gettext",
    "libintl.*",
  ],
  [
    "FFmpeg",
    "ffmpeg.org",
    `libavcodec.* libavformat.* libavutil.* libavfilter.* libswscale.* libswresample.*
    libavdevice.*`,
  ],
  [
    "VTK",
    "vtk.org",
    "libvtk*",
  ],
  [
    "ITK",
    "itk.org",
    "libITK*",
  ],
  [
    "Open CASCADE",
    "dev.opencascade.org",
    "libTK*",
  ],
  [
    "SDL",
    "libsdl.org",
    "libSDL2* libSDL3* libSDL-1* SDL2 SDL2_mixer SDL2_image SDL2_ttf SDL3",
  ],
  [
    "OpenSSL or what was made from it",
    "openssl.org",
    "libssl.1* libssl.3* libcrypto.1* libcrypto.3* OpenSSL",
  ],
  [
    "libusb",
    "libusb.info",
    "libusb-1*",
  ],
  [
    "libpq",
    "postgresql.org",
    "libpq.*",
  ],
  [
    "Boost",
    "boost.org",
    "libboost_*",
  ],
  [
    "PortAudio",
    "portaudio.com",
    "libportaudio*",
  ],
  [
    "libvlc",
    "videolan.org",
    "libvlc.* libvlccore.* VLCKit MobileVLCKit",
  ],
  [
    "mpv",
    "mpv.io",
    "libmpv.*",
  ],
  [
    "MoltenVK",
    "github.com/KhronosGroup/MoltenVK",
    "libMoltenVK*",
  ],
  [
    "the OpenMP run-time",
    "openmp.llvm.org",
    "libomp.* libiomp5.*",
  ],
  [
    "OpenBLAS",
    "openblas.net",
    "libopenblas*",
  ],
  [
    "OpenCV",
    "opencv.org",
    "libopencv_* opencv2",
  ],
  [
    "TBB",
    "github.com/oneapi-src/oneTBB",
    "libtbb.* libtbb12* libtbbmalloc*",
  ],
  [
    "Electron's parts: Squirrel, Mantle and ReactiveObjC",
    "github.com/electron/electron",
    "Squirrel Mantle",
  ],
  [
    "cocos2d's or OGRE's engine",
    "ogre3d.org",
    "libOgreMain* libcocos2d*",
  ],
  [
    "FMOD or Wwise",
    "fmod.com, audiokinetic.com",
    "libfmod* libfmodex*",
  ],
  [
    "the Steam client's library",
    "partner.steamgames.com",
    "libsteam_api.dylib steamclient.dylib libsteamnetworkingsockets*",
  ],
  [
    "HDF5 or NetCDF",
    "hdfgroup.org",
    "libhdf5* libnetcdf*",
  ],
  [
    "protobuf or Abseil",
    "github.com/protocolbuffers, abseil.io",
    "libprotobuf* libabsl_*",
  ],
  [
    "ICU",
    "icu.unicode.org",
    "libicuuc.* libicui18n.* libicudata.*",
  ],
  [
    "zlib, libpng, libjpeg or libtiff",
    "their sites",
    "libpng16* libjpeg.* libturbojpeg* libtiff.*",
  ],
  [
    "GStreamer",
    "gstreamer.freedesktop.org",
    "libgstreamer-1* libgst* GStreamer",
  ],
  [
    "Chromium Embedded Framework",
    "github.com/chromiumembedded/cef",
    "Chromium_Embedded_Framework",
  ],
];
