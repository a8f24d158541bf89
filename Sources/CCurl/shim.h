#if !__has_include(<curl/curl.h>)
#error "curl/curl.h is missing: apt-get install libcurl4-openssl-dev"
#endif
#include <curl/curl.h>

// The options of libcurl are variadic, which Swift cannot call. Each returns CURLE_OK or CURLM_OK, or an
// error's number.

static inline CURLcode ccurl_set_long(CURL *easy, CURLoption option, long value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode ccurl_set_text(CURL *easy, CURLoption option, const char *value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode ccurl_set_list(CURL *easy, CURLoption option, struct curl_slist *value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode ccurl_set_pointer(CURL *easy, CURLoption option, void *value) {
  return curl_easy_setopt(easy, option, value);
}

/// For CURLOPT_WRITEFUNCTION and CURLOPT_HEADERFUNCTION.
typedef size_t (*ccurl_bytes_callback)(char *bytes, size_t size, size_t count, void *owner);

static inline CURLcode ccurl_set_bytes_callback(CURL *easy, CURLoption option,
                                                ccurl_bytes_callback callback) {
  return curl_easy_setopt(easy, option, callback);
}

static inline CURLMcode ccurl_multi_set_socket_callback(CURLM *multi, curl_socket_callback callback,
                                                        void *owner) {
  CURLMcode result = curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, callback);
  return result != CURLM_OK ? result : curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, owner);
}

static inline CURLMcode ccurl_multi_set_timer_callback(CURLM *multi, curl_multi_timer_callback callback,
                                                       void *owner) {
  CURLMcode result = curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, callback);
  return result != CURLM_OK ? result : curl_multi_setopt(multi, CURLMOPT_TIMERDATA, owner);
}

/// Goes on with a transfer that CURL_WRITEFUNC_PAUSE has halted.
static inline CURLcode ccurl_go_on(CURL *easy) {
  return curl_easy_pause(easy, CURLPAUSE_CONT);
}

/// The status of the last answer; 0 when none has come.
static inline long ccurl_status(CURL *easy) {
  long status = 0;
  curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
  return status;
}
