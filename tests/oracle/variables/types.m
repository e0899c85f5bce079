/* Objective-C with classes of our own: no Foundation is needed. */
typedef struct objc_object { struct objc_class *isa; } *id_like;
volatile int sink;
__attribute__((noinline)) void use(const volatile void *p) { sink += *(const volatile char *)p; }
__attribute__((objc_root_class)) @interface Root { @public Class isa; int count; } - (int)value; + (int)shared; @end
@interface Account : Root { @public long balance; const char *owner; Root *parent; struct { int a; short b; } inner; unsigned open : 1; }
@property(assign) int limit;
- (int)add:(int)amount to:(Account *)other;
@end
@protocol Named - (const char *)name; @end
@implementation Root
- (int)value { int local = count + 1; use(&local); return local; }
+ (int)shared { static int calls = 2; int next = calls++; use(&next); return next; }
@end
@implementation Account
@synthesize limit = limit_;
- (int)add:(int)amount to:(Account *)other {
  long before = balance;
  balance += amount;
  SEL selector = _cmd;
  id any = other;
  Class kind = 0;
  id<Named> named = (id<Named>)other;
  Account *same = self;
  use(&before); use(&selector); use(&any); use(&kind); use(&named); use(&same);
  return (int)(balance - before) + other->count;
}
@end
__attribute__((noinline)) int function(Account *account, id object, Class type, SEL selector) {
  Account *local = account;
  id *list = &object;
  BOOL_LIKE: ;
  signed char yes = 1;
  use(&local); use(&list); use(&yes); use(&type); use(&selector);
  return local->count;
}
