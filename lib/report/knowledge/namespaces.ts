/** Namespaces of .NET by which a method is known that is of a library which programs bring along. */

/** First names of namespaces. Packages have the names of their namespaces; those for Apple's systems are listed at
 * github.com/benoitjadinon/awesome-xamarin and github.com/jsuarezruiz/awesome-dotnet-maui. */
const names = `
  Xamarin Microsoft CommunityToolkit Google Firebase Facebook Amazon Azure Grpc Org ICSharpCode
  MvvmCross Cirrious ReactiveUI Prism Caliburn GalaSoft FreshMvvm FreshTinyIoC MvvmHelpers Splat
  DryIoc Autofac Ninject SimpleInjector StructureMap TinyIoC CommonServiceLocator Shiny
  AsyncAwaitBestPractices Nito Stateless DynamicData Akavache Fusillade Punchclock MonkeyCache
  AutoMapper Mapster MediatR FluentValidation Humanizer NodaTime
  Newtonsoft MessagePack ProtoBuf AngleSharp HtmlAgilityPack CsvHelper Jint Markdig YamlDotNet
  SQLite SQLitePCL SQLiteNetExtensions Realms MongoDB LiteDB Couchbase PCLStorage PCLCrypto
  Refit Polly RestSharp Flurl ModernHttpClient ServiceStack SocketIOClient PubnubApi MQTTnet
  MailKit MimeKit SharpCompress PdfSharp PdfSharpCore
  Auth0 IdentityModel Okta
  Sentry Bugsnag Mindscape HockeyApp Serilog NLog Raygun4Net
  FFImageLoading SkiaSharp HarfBuzzSharp Topten ImageCircle Svg
  Plugin Acr Rg Mopups MPowerKit UraniumUI AlohaKit Sharpnado PanCardView DLToolkit AiForms XLabs
  Forms9Patch P42 NControl NGraphics XamEffects UXDivers BigTed JASidePanels
  Syncfusion Telerik DevExpress Infragistics SciChart
  Microcharts OxyPlot LiveChartsCore Mapsui BruTile NetTopologySuite Esri ZXing BarcodeScanner
  Lottie CocosSharp OpenTK Urho MonoGame Avalonia
`;

const known: ReadonlySet<string> = new Set(names.trim().split(/\s+/));

/** Whether a method is of such a library: `Newtonsoft.Json.JsonReader.Read`. */
export function isOfLibrary(method: string): boolean {
  const end = method.indexOf(".");
  return end > 0 && known.has(method.slice(0, end));
}
