// Functions of the language and of Kubernetes' extensions.

#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "cel/testing.h"

namespace kinformer::internal::cel {
namespace {

struct Row {
  const char* text;
  const char* result;
};

void Check(const std::vector<Row>& rows) {
  for (const Row& row : rows) EXPECT_EQ(Evaluated(row.text), row.result) << row.text;
}

TEST(CelFunctions, ConvertBetweenTypes) {
  Check({
      {"int('42') + int(2.9) + int(3u)", "47"},
      {"int('x')", "program: type conversion error from 'string' to 'int'"},
      {"int(1e30)", "program: integer overflow"},
      {"uint(-1)", "program: unsigned integer overflow"},
      {"uint('7')", "7u"},
      {"double('1.5') + double(2)", "3.500000"},
      {"string(1) + string(2u) + string(true) + string(1.5) + string(1000000.0)",
       "\"12true1.51e+06\""},
      {"string(b'abc')", "\"abc\""},
      {"string(b'\\xff')", "program: invalid UTF-8 in bytes, cannot convert to string"},
      {"bool('true') && !bool('0')", "true"},
      {"bool('yes')", "program: type conversion error from 'string' to 'bool'"},
      {"string(duration('90m')) + string(duration('1.5s'))", "\"5400s1.5s\""},
      {"string(duration('1.500001s')) + string(duration('-10ms'))",
       "\"1.5000010000000001s-0.01s\""},
      {"string(timestamp('2026-01-02T03:04:05.5+01:00'))", "\"2026-01-02T03:04:05.5+01:00\""},
      {"int(timestamp('1970-01-01T00:01:00Z'))", "60"},
      {"timestamp(0) + duration('1h') == timestamp('1970-01-01T01:00:00Z')", "true"},
      {"timestamp('1970-01-02T00:00:00Z') - timestamp(0)", "duration(\"86400s\")"},
  });
}

TEST(CelFunctions, ReadPartsOfTimes) {
  const std::string time = "timestamp('2026-03-01T23:30:15.123Z')";
  struct Part {
    const char* call;
    const char* result;
  };
  for (const Part& part : {
           Part{"getFullYear()", "2026"},
           Part{"getMonth()", "2"},
           Part{"getDate()", "1"},
           Part{"getDayOfMonth()", "0"},
           Part{"getDayOfWeek()", "0"},
           Part{"getDayOfYear()", "59"},
           Part{"getHours()", "23"},
           Part{"getMinutes()", "30"},
           Part{"getSeconds()", "15"},
           Part{"getMilliseconds()", "123"},
           Part{"getHours('+01:00')", "0"},
           Part{"getDate('-23:00')", "1"},
           Part{"getDate('UTC')", "1"},
           Part{"getDate('Nowhere')", "error: unknown time zone Nowhere"},
       }) {
    EXPECT_EQ(Evaluated(time + "." + part.call), part.result) << part.call;
  }
  Check({{"duration('3h2m').getMinutes()", "182"}, {"duration('2s').getMilliseconds()", "2000"}});
}

TEST(CelFunctions, WorkOnTexts) {
  Check({
      {"'añb'.size() + size(b'abc')", "6"},
      {"'abc'.contains('b') && 'abc'.startsWith('ab') && 'abc'.endsWith('bc')", "true"},
      {"'abc'.matches('^[a-c]+$') && !'abd'.matches('^[a-c]+$')", "true"},
      {"'añb'.charAt(1) + 'ab'.charAt(2)", "\"ñ\""},
      {"'ab'.charAt(3)", "error: index out of range: 3"},
      {"'añbñ'.indexOf('ñ') + 'añbñ'.lastIndexOf('ñ')", "4"},
      {"'añbñ'.indexOf('ñ', 2)", "3"},
      {"'abab'.lastIndexOf('ab', 1)", "0"},
      {"'abc'.indexOf('')", "0"},
      {"'abc'.lastIndexOf('')", "3"},
      {"'abc'.indexOf('x') + 'abc'.lastIndexOf('x')", "-2"},
      {"'aaaaaaaaaaaaaaaaaaaaab'.indexOf('aaaaaaaaaaaaaaaab')", "5"},
      {"'aaaaaaaaaaaaaaaaaaaaa'.lastIndexOf('aaaaaaaaaaaaaaaa')", "5"},
      {"'añbc'.substring(1, 3) + 'abc'.substring(2)", "\"ñbc\""},
      {"'abc'.substring(2, 1)", "error: invalid substring range. start: 2, end: 1"},
      {"'abc'.substring(4)", "error: index out of range: 4"},
      {"'ABÄ'.lowerAscii() + 'abä'.upperAscii()", "\"abÄABä\""},
      {"'  a b\\t'.trim()", "\"a b\""},
      {"'a,b,,c'.split(',')", "[\"a\", \"b\", \"\", \"c\"]"},
      {"'a,b,c'.split(',', 2)", "[\"a\", \"b,c\"]"},
      {"'aé'.split('')", "[\"a\", \"é\"]"},
      {"''.split(',')", "[\"\"]"},
      {"'a'.split(',', 0)", "[]"},
      {"['a', 'b'].join('-') + ['c'].join()", "\"a-bc\""},
      {"'abab'.replace('a', 'x') + 'abab'.replace('b', '', 1)", "\"xbxbaab\""},
      {"'ab'.replace('', '-')", "\"-a-b-\""},
      {"strings.quote('a\"b\\n')", "\"\\\"a\\\\\\\"b\\\\n\\\"\""},
      {"'abc 123'.find('[0-9]+') + 'a'.find('x')", "\"123\""},
      {"'a1b22'.findAll('[0-9]+')", "[\"1\", \"22\"]"},
      {"'a1b22'.findAll('[0-9]', 2)", "[\"1\", \"2\"]"},
      {"'abc'.findAll('x*')", "[\"\", \"\", \"\", \"\"]"},
      {"'a'.matches('a' + '(')", "error: error parsing regexp: missing closing ): `a(`"},
  });
}

TEST(CelFunctions, FormatValues) {
  Check({
      {"'%s-%d-%s'.format(['a', 7, true])", "\"a-7-true\""},
      {"'%s'.format([[1, 'a', {'k': 1.5}]])", "\"[1, \\\"a\\\", {\\\"k\\\":1.500000}]\""},
      {"'%.2f %e %b %o %x %X %%'.format([1.5, 12.0, 5, 8, 255, 'hi'])",
       "\"1.50 1.200000×10⁰¹ 101 10 ff 6869 %\""},
      {"'%.1f %.0f %.3f %.2f'.format([-1234567.0, 999.0, 1e6, -0.0])",
       "\"-1,234,567.0 999 1,000,000.000 0.00\""},
      {"'%s'.format([[1234567.5, -0.0]])", "\"[1234567.500000, -0.000000]\""},
      {"'%.2e %e'.format([-123456.0, 5e-324])", "\"-1.234560×10⁰⁵ 4.940656×10⁻³²⁴\""},
      {"'%s'.format([])", "compile: index 0 out of range"},
      {"'%q'.format([1])",
       "compile: could not parse formatting clause: unrecognized formatting clause \"q\""},
      {"'%d'.format(['a'])",
       "compile: error during formatting: decimal clause can only be used on integers, was given "
       "string"},
      {"'%s %s'.format([null, duration('5s')])", "\"null 5s\""},
  });
}

TEST(CelFunctions, WorkOnLists) {
  Check({
      {"[1, 2, 2].isSorted() && !['b', 'a'].isSorted()", "true"},
      {"[1, 2, 3].sum() + [4, 9].min() + [4, 9].max()", "19"},
      {"[1.5, 2.5].sum()", "4.000000"},
      {"[].sum()", "0"},
      {"[1].filter(x, x > 1).min()", "error: min called on empty list"},
      {"['a', 'b', 'a'].indexOf('a') + ['a', 'b', 'a'].lastIndexOf('a')", "2"},
      {"[1, 2, 3].slice(1, 3)", "[2, 3]"},
      {"[[1], [2, 3]].flatten()", "[1, 2, 3]"},
      {"['c', 'a', 'b'].sort()", "[\"a\", \"b\", \"c\"]"},
      {"[1, 2, 1].distinct() + [1, 2].reverse()", "[1, 2, 2, 1]"},
      {"lists.range(3)", "[0, 1, 2]"},
      {"[5, 6].first().value() + [5, 6].last().value()", "11"},
      {"sets.contains([1, 2], [2]) && sets.equivalent([1, 1], [1]) && !sets.intersects([1], [2])",
       "true"},
      {"[[1]].min()",
       "compile: found no matching overload for 'min' applied to 'list(list(int)).()'"},
  });
}

TEST(CelFunctions, ReadUrls) {
  Check({
      {"isURL('https://a.example:80/p?x=1&x=2#f') && isURL('/path') && !isURL('a/b') && "
       "!isURL('../a') && !isURL(':a')",
       "true"},
      {"url('HTTPS://u@a.example:80/p%20q?x=1&y=%41#f').getScheme()", "\"https\""},
      {"url('https://u@a.example:80/p%20q').getHost()", "\"a.example:80\""},
      {"url('https://[::1]:80/').getHostname() + url('https://[::1]:80/').getPort()", "\"::180\""},
      {"url('https://a/p%20q').getEscapedPath()", "\"/p%20q\""},
      {"url('https://a/?x=1&y=%41&x=2').getQuery()", "{\"x\":[\"1\", \"2\"], \"y\":[\"A\"]}"},
      {"url('a b')",
       "error: URL parse error during conversion from string: parse \"a b\": invalid URI for "
       "request"},
  });
}

TEST(CelFunctions, ReadAddresses) {
  Check({
      {"isIP('1.2.3.4') && isIP('::1') && !isIP('1.2.3') && !isIP('01.2.3.4') && "
       "!isIP('::ffff:1.2.3.4') && !isIP('fe80::1%eth0')",
       "true"},
      {"ip('1.2.3.4').family() + ip('::1').family()", "10"},
      {"ip.isCanonical('2001:db8::1') && !ip.isCanonical('2001:DB8::1')", "true"},
      {"string(ip('2001:0db8:0:0:1::0')) + string(ip('::')) + string(ip('10.0.0.1'))",
       "\"2001:db8:0:0:1::::10.0.0.1\""},
      {"ip('127.0.0.1').isLoopback() && ip('0.0.0.0').isUnspecified()", "true"},
      {"ip('224.0.0.1').isLinkLocalMulticast() && ip('fe80::1').isLinkLocalUnicast()", "true"},
      {"ip('8.8.8.8').isGlobalUnicast() && !ip('255.255.255.255').isGlobalUnicast()", "true"},
      {"cidr('10.0.0.0/8').containsIP('10.1.2.3') && "
       "!cidr('10.0.0.0/8').containsIP(ip('11.0.0.0'))",
       "true"},
      {"cidr('10.0.0.0/8').containsCIDR('10.1.0.0/16') && "
       "!cidr('10.1.0.0/16').containsCIDR(cidr('10.0.0.0/8'))",
       "true"},
      {"string(cidr('10.1.2.3/8').masked()) + string(cidr('10.1.2.3/8').ip())",
       "\"10.0.0.0/810.1.2.3\""},
      {"cidr('::1/64').prefixLength()", "64"},
      {"isCIDR('1.2.3.4/33') || isCIDR('1.2.3.4') || isCIDR('1.2.3.4/08')", "false"},
      {"ip('x') == ip('y')",
       "error: IP Address \"x\" parse error during conversion from string: ParseAddr(\"x\"): "
       "unable "
       "to parse IP"},
  });
}

TEST(CelFunctions, ComputeQuantities) {
  Check({
      {"quantity('1Gi').isGreaterThan(quantity('1G')) && quantity('1').isLessThan(quantity('2'))",
       "true"},
      {"isQuantity('1.5Mi') && !isQuantity('1.5x') && !isQuantity('')", "true"},
      {"quantity('1k').compareTo(quantity('1000'))", "0"},
      {"quantity('1k') == quantity('1000')", "true"},
      {"quantity('50k').add(quantity('1')).sub(2).asInteger()", "49999"},
      {"quantity('500m').isInteger() || !quantity('1k').isInteger()", "false"},
      {"quantity('500m').asApproximateFloat()", "0.500000"},
      {"sign(quantity('-1'))", "-1"},
      {"quantity('0.5').asInteger()", "error: cannot convert value to integer"},
  });
}

// As in Go, where a quantity remembers its digits.
TEST(CelFunctions, WholeQuantities_AreWrittenAsWholeNumbers) {
  Check({
      {"quantity('-500m').sub(quantity('-500m')).isInteger()", "false"},
      {"quantity('1.5').add(quantity('0.5')).isInteger()", "false"},
      {"quantity('1.5k').isInteger() && quantity('2e3').isInteger()", "true"},
      {"quantity('1500m').add(quantity('0')).isInteger()", "false"},
      {"quantity('0').add(quantity('2')).isInteger() && quantity('3Mi').isInteger()", "true"},
      {"quantity('1.5Ki').isInteger()", "false"},
      {"quantity('1.5Ki').asApproximateFloat()", "1536.000000"},
      {"quantity('9223372036854775807').add(1).isInteger()", "false"},
      {"isQuantity('m') && isQuantity('.') && isQuantity('-') && !isQuantity('mm')", "true"},
      {"sign(quantity('-k'))", "0"},
  });
}

}  // namespace
}  // namespace kinformer::internal::cel
