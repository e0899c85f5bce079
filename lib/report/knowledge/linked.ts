/** Libraries, run-times and engines of C and C++ that are linked into programs, by the names of their functions and classes. */

import type { Names } from "./row.ts";

/** Whose the functions are, where their names are documented, and the names, with a star at the end of prefixes: those that
 * are long enough, or of words, that programs have no such names of their own. */
export const libraries: Names = [
  [
    "GLib",
    "docs.gtk.org/glib, gobject and gio: the prefixes of their functions",
    `g_dbus_* g_file_* g_variant_* g_socket_* g_tls_* g_unix_* g_date_* g_settings_* g_value_*
    g_io_* g_type_* g_test_* g_object_* g_menu_* g_signal_* g_application_* g_param_* g_mount_*
    g_list_* g_app_* g_key_* g_cclosure_* g_bookmark_file_* g_subprocess_* g_simple_* g_queue_*
    g_string_* g_main_* g_async_* g_uri_* g_source_* g_sequence_* g_data_* g_dtls_* g_task_*
    g_inet_* g_thread_* g_output_* g_tree_* g_option_* g_hash_* g_atomic_* g_action_* g_slist_*
    g_drive_* g_ptr_* g_volume_* g_node_* g_network_* g_regex_* g_desktop_* g_utf8_*
    g_resolver_* g_static_* g_log_* g_hook_* g_proxy_* g_scanner_* g_input_* g_array_* g_bytes_*
    g_buffered_* g_memory_* g_markup_* g_time_* g_pollable_* g_byte_* g_binding_* g_match_*
    g_content_type_* g_bus_* g_notification_* g_closure_* g_cancellable_* g_ascii_* g_resource_*
    g_datalist_* g_spawn_* g_strv_* g_rand_* g_permission_* g_filename_* g_converter_* g_vfs_*
    g_ref_* g_pattern_* g_module_* g_credentials_* g_srv_* g_mapped_* g_error_* g_cond_*
    g_checksum_* g_zlib_* g_timer_* g_str_* g_slice_* g_rw_lock_* g_unicode_* g_timeout_*
    g_themed_* g_icon_* g_mutex_* g_hmac_* g_clear_* g_seekable_* g_flags_* g_enum_*
    g_emblemed_* g_datagram_* g_cache_* g_base64_* g_rec_mutex_* g_random_* g_initable_*
    g_idle_* g_hostname_* g_dir_* g_dataset_* g_charset_* g_weak_* g_shell_* g_quark_*
    g_private_* g_pointer_* g_path_* g_once_* g_threaded_* g_environ_* g_child_* g_boxed_*
    g_tcp_* g_propagate_* g_get_current_* g_get_user_* g_get_system_* g_intern_* g_unichar_*
    g_int64_* g_int_* g_double_* g_direct_* g_locale_* g_build_* g_malloc* g_realloc* g_free
    g_calloc g_memdup* g_strdup* g_strndup g_strconcat g_strjoin* g_strsplit* g_strfreev
    g_strcmp0 g_strstr* g_strrstr* g_strreplace g_strescape g_strchug g_strchomp g_print
    g_printerr g_printf g_snprintf g_vsnprintf g_vasprintf g_getenv g_setenv g_usleep
    g_assertion_message* g_assert_warning g_return_if_fail_warning g_warn_message g_logv g_log
    g_convert* g_iconv* g_open g_fopen g_unlink g_stat g_rename g_mkdir* g_poll g_idle_add
    g_timeout_add* g_on_error* g_convert_with_iconv g_io_unix_* gobject_* glib_gettext glib_init
    _g_dbus* _g_closure* _g_type* _g_object* _g_signal* _g_utf8* _g_log* _g_param* _g_main*`,
  ],
  [
    "GTK",
    "docs.gtk.org: the prefixes of its libraries",
    `gtk_* _gtk_* gdk_* _gdk_* gsk_* [GdkQuartz* [GdkMacos* [GNSMenu* gtksharp_* gdksharp_*
    gtk_marshal* gtkosx_*`,
  ],
  ["Pango", "docs.gtk.org/Pango", "pango_* _pango_*"],
  ["GDK-PixBuf", "docs.gtk.org/gdk-pixbuf", "gdk_pixbuf_* _gdk_pixbuf_*"],
  ["GStreamer", "gstreamer.freedesktop.org", "gst_* _gst_* priv_gst_*"],
  ["libsoup", "libsoup.org", "soup_*"],
  ["librsvg", "gnome.pages.gitlab.gnome.org/librsvg", "rsvg_*"],
  ["GEGL or babl", "gegl.org", "gegl_* babl_*"],
  ["cairo", "cairographics.org", "_cairo_*"],
  [
    "fontconfig",
    "fontconfig.org",
    `FcPattern* FcConfig* FcFont* FcCharSet* FcLangSet* FcCache* FcInit* FcStr* FcObject* FcDir*
    FcValue* FcFreeType*`,
  ],
  ["D-Bus", "dbus.freedesktop.org", "dbus_* _dbus_*"],
  ["gettext's libintl", "gnu.org/software/gettext", "libintl_* _nl_* __libintl_*"],
  ["libiconv", "gnu.org/software/libiconv", "libiconv libiconv_* libiconvctl libiconvlist"],
  [
    "Qt",
    "doc.qt.io: its classes' prefixes, src/plugins/platforms",
    `qt_mac_* qt_safe_* qt_static_metacall* qt_call_* qt_message_* qt_assert*
    qt_sendSpontaneousEvent* qt_memfill* qt_blend* qt_draw* qt_fetch* qt_scale* qt_alloc*
    qt_qFind* qt_gl_* qt_gradient* qt_rasterize* qt_painterpath* qMetaTypeGuiHelper*
    qRegisterStatic* qInitResources* QtPrivate::* QtSharedPointer::* QtConcurrent::* QtCocoa*
    QtWaylandClient::* QV4::* QQmlJS::* QCocoa* [QCocoa* [QNSView* [QNSWindow* [QNSPanel*
    [QNSApplication* [QNSMenu* [QNSStatusItem* [QNSOpenSave* [QNSColorPanel* [QMacAccessib*
    [QIOS* [QUIView* [QUIWindow* QIOS* QMac* QSGNode* QSGRender* QSGTexture* QSGMaterial*
    QSGGeometry* QSGThreaded* QSGGui* QSGDefault* QSGBatch* QSGAbstract* QSGContext*
    QSGDistance* QSGInternal* QSGRhi* QSGSoftware* QRhi* QQml* QQuick* QPlatform* QMetaObject*
    QWebEngine* QtWebEngineCore::* QMediaPlayer* QAudio* QSvg* QPrint* QSql* QDBus*`,
  ],
  [
    "wxWidgets",
    "docs.wxwidgets.org",
    `wxEntry* wxUninitialize* wxLog* wxOnAssert* wxSafeShowMessage* wxPrivate::*
    wxMacCoreGraphics* wxImplementation* wxPy* wxDefaultAssertHandler* wxArgNormalizer*
    wxFormat* wxThreadSpecific* wxAnyButton* wxCheckBuildOptions*`,
  ],
  [
    "FFmpeg",
    "ffmpeg.org",
    `avio_* avpriv_* avfilter_* avutil_* avdevice_* avsubtitle_* swr_convert* swr_init swr_alloc*
    swr_close swr_free swr_get_* swr_set_* swr_inject* swri_* sws_scale* sws_getContext*
    sws_getCached* sws_getColor* sws_getConst* sws_getGauss* sws_init* sws_free* sws_alloc*
    sws_set* sws_cache* swscale_* swresample_* postproc_* ff_h264* ff_h26* ff_hevc* ff_vp8*
    ff_vp9* ff_mpeg* ff_mp4* ff_mov* ff_aac* ff_ac3* ff_mp3* ff_mpa* ff_rtsp* ff_rtp* ff_http*
    ff_tls* ff_tcp* ff_network* ff_format* ff_filter* ff_thread* ff_frame* ff_get_* ff_init*
    ff_decode* ff_encode* ff_codec* ff_dct* ff_fdct* ff_idct* ff_simple_idct* ff_imdct* ff_mdct*
    ff_fft* ff_vc1* ff_wmv* ff_wma* ff_flac* ff_id3* ff_put_* ff_avg_* ff_yuv* ff_rgb* ff_hls*
    ff_hscale* ff_sws* ff_swr* ff_videotoolbox* ff_vt* ff_end_* ff_start_* ff_update* ff_reget*
    ff_generate* ff_inlink* ff_outlink* ff_request* ff_raw* ff_read_* ff_seek* ff_parse* ff_avc*
    ff_cabac* ff_mjpeg* ff_png* ff_subtitles* ff_ass* ff_dv* ff_flv* ff_rm* ff_asf* ff_ogg*
    ff_matroska* ff_mkv* ff_ebml* ff_cbs* ff_sbr* ff_ps_* ff_opus* ff_vorbis* ff_celt* ff_me_*
    ff_mpv* ff_msmpeg* ff_rl_* ff_vlc* ff_crop* ff_draw* ff_fill*`,
  ],
  [
    "libvlc",
    "videolan.org/vlc, include/vlc",
    `libvlc_* vlc_* [VLCMediaPlayer* [VLCLibrary* [VLCAudio* [VLCOpenGLES* vout_* aout_* es_out_*
    input_Control*`,
  ],
  ["mpv", "mpv.io, include/mpv", "mpv_* [mpv*"],
  ["x264", "videolan.org/x264", "x264_*"],
  ["x265", "x265.org", "x265::* x265_* x265_10bit::* x265_12bit::*"],
  ["libaom", "aomedia.org", "aom_* av1_*"],
  ["dav1d", "videolan.org/dav1d", "dav1d_*"],
  ["LAME", "lame.sourceforge.io", "lame_* hip_decode*"],
  [
    "libvorbis or libogg",
    "xiph.org",
    `vorbis_* ogg_page_* ogg_stream_* ogg_sync_* oggpack_* ov_open* ov_read* ov_clear ov_pcm_*
    ov_time_* ov_raw_* _vp_*`,
  ],
  ["FLAC", "xiph.org/flac", "FLAC__*"],
  [
    "Theora",
    "xiph.org",
    `theora_* th_decode* th_encode* oc_enc_* oc_dec_* oc_state_* oc_huff_* oc_frag_* oc_mb_*
    oc_idct* oc_quant*`,
  ],
  ["Speex", "speex.org", "speex_* jitter_buffer_*"],
  [
    "Opus",
    "opus-codec.org: the prefixes of its parts",
    `silk_Decode* silk_Encode* silk_NSQ* silk_LPC* silk_resampler* silk_decode* silk_encode*
    celt_* op_open_file op_open_memory op_open_callbacks op_read_stereo op_read_float* op_pcm_*`,
  ],
  [
    "libsndfile",
    "libsndfile.github.io",
    "sf_open* sf_read* sf_write* sf_seek* sf_close sf_command psf_*",
  ],
  ["PortAudio", "portaudio.com", "Pa_* PaUtil_* PaMacCore_*"],
  ["RtMidi", "github.com/thestk/rtmidi", "RtMidi*"],
  ["RtAudio", "github.com/thestk/rtaudio", "RtAudio* RtApi*"],
  ["FluidSynth", "fluidsynth.org", "fluid_* new_fluid_* delete_fluid_*"],
  [
    "OpenAL Soft",
    "openal-soft.org",
    "alSource* alBuffer* alListener* alGen* alDelete* alcOpen* alcCreate* alcMake*",
  ],
  [
    "miniaudio",
    "miniaud.io",
    `ma_device_* ma_engine_* ma_sound_* ma_decoder_* ma_context_* ma_node_* ma_data_source_*
    ma_resource_manager_*`,
  ],
  ["SoLoud", "solhsa.com/soloud", "SoLoud::*"],
  ["BASS", "un4seen.com", "BASS_*"],
  ["Superpowered", "superpowered.com", "Superpowered::*"],
  ["SoundTouch", "soundtouch.surina.net", "soundtouch::*"],
  ["Rubber Band", "breakfastquay.com/rubberband", "RubberBand::*"],
  ["aubio", "aubio.org", "aubio_* new_aubio_* del_aubio_*"],
  ["TagLib", "taglib.org", "TagLib::*"],
  ["Steinberg's SDK of VST", "steinberg.net/developers", "Steinberg::* VSTGUI::*"],
  ["iPlug", "iplug2.github.io", "iplug::* igraphics::*"],
  [
    "OpenSSL or what was made from it",
    "openssl.org",
    `X509_* X509V3_* ASN1_* BIO_* BN_* bn_mul* bn_sqr* bn_div* EC_KEY_* EC_POINT_* EC_GROUP_*
    ec_GFp_* ec_key_* ECDSA_* ECDH_* RSA_public* RSA_private* RSA_new* RSA_free RSA_generate*
    RSA_size RSA_sign RSA_verify* DSA_* DH_new DH_free DH_generate* DH_compute* PEM_* PKCS7_*
    PKCS12_* CRYPTO_* ERR_put_error ERR_get_* ERR_clear* ERR_load* ERR_peek* ERR_remove* i2d_*
    d2i_* i2b_* ossl_statem_* ossl_provider_* ossl_lib_ctx_* ossl_method_* ossl_namemap_*
    ossl_rand_* ossl_prov_* ossl_quic_* ossl_property_* ossl_err_* ossl_obj_* ossl_cmp_*
    ossl_decoder_* ossl_encoder_* ossl_store_* ossl_sa_* ossl_param_* OSSL_* CMS_get* CMS_sign*
    CMS_verify* CMS_decrypt* CMS_encrypt* CMS_ContentInfo* OCSP_* HMAC_CTX* HMAC_Init*
    HMAC_Update HMAC_Final RAND_bytes RAND_poll RAND_seed* RAND_add rand_drbg* ENGINE_load*
    ssl3_read_bytes ssl3_write_bytes ssl3_get_record ssl3_read_n tls1_enc tls1_mac dtls1_*
    tls_construct_* tls_process_* tls_post_* ssl_create_* ssl_get_* sk_X509* OBJ_nid2* OBJ_txt2*
    OBJ_obj2* CONF_modules* UI_method* OPENSSL_sk* CBB_* CBS_* bssl_* aesni_* gcm_ghash_*
    sha256_block_* sha1_block_* sha512_block_*`,
  ],
  ["Mbed TLS", "mbed-tls.readthedocs.io", "mbedtls_*"],
  [
    "wolfSSL",
    "wolfssl.com",
    "wolfSSL_* wc_Aes* wc_Sha* wc_Rsa* wc_ecc_* wc_InitRng* wc_InitRsa* wc_Hmac* wc_Hash*",
  ],
  ["GnuTLS", "gnutls.org", "gnutls_* _gnutls_*"],
  ["Libgcrypt", "gnupg.org/software/libgcrypt", "gcry_* _gcry_*"],
  ["GPGME", "gnupg.org/software/gpgme", "gpgme_* _gpgme_* GpgME::* gpg_err_*"],
  [
    "libsodium",
    "libsodium.org",
    `sodium_* crypto_aead_* crypto_box* crypto_secretbox* crypto_sign* crypto_generichash*
    crypto_pwhash* crypto_scalarmult* crypto_auth* crypto_stream* crypto_kx* crypto_hash_sha*
    randombytes_*`,
  ],
  ["Botan", "botan.randombit.net", "Botan::* botan_*"],
  [
    "NSS or NSPR",
    "firefox-source-docs.mozilla.org/security/nss",
    "NSS_* PK11_* SECITEM_* SECKEY_* CERT_* PORT_* NSSUTIL_* PR_* _PR_*",
  ],
  [
    "libcurl",
    "github.com/curl/curl",
    `curlx_* multi_runsingle multi_socket curl_escape curl_unescape curl_mprintf curl_mfprintf
    curl_msprintf curl_msnprintf curl_mvprintf curl_mvfprintf curl_mvsprintf curl_mvsnprintf
    curl_maprintf curl_mvaprintf curl_strequal curl_strnequal curl_pushheader_*`,
  ],
  ["nghttp2", "nghttp2.org", "nghttp2_* nghttp3_* ngtcp2_*"],
  ["c-ares", "c-ares.org", "ares_* ares__*"],
  [
    "libevent",
    "libevent.org",
    `event_base_* event_add* event_del* event_new event_free event_active* bufferevent_*
    evbuffer_* evhttp_* evutil_* evdns_* evthread_* evmap_* event_process_active*`,
  ],
  ["libwebsockets", "libwebsockets.org", "lws_* lwsl_* __lws_* _lws_*"],
  ["libssh2", "libssh2.org", "libssh2_* _libssh2_*"],
  [
    "libssh",
    "libssh.org",
    `ssh_channel_* ssh_connect* ssh_session_* ssh_packet_* ssh_handle_* ssh_userauth_*
    ssh_buffer_* ssh_string_* ssh_key_* ssh_socket_* ssh_poll_* ssh_bind_* ssh_options_*
    ssh_pki_* sftp_open* sftp_read* sftp_write* sftp_packet*`,
  ],
  ["ZeroMQ", "zeromq.org", "zmq::* zmq_* zlist_* zhash_* zsock_* zmsg_* zpoller_*"],
  ["nanomsg or nng", "nng.nanomsg.org", "nng_* nni_*"],
  ["Mosquitto", "mosquitto.org", "mosquitto_* packet__* mosquitto__*"],
  ["Eclipse Paho", "eclipse.org/paho", "MQTTAsync_* MQTTClient_* MQTTProtocol_* MQTTPacket_*"],
  ["librdkafka", "github.com/confluentinc/librdkafka", "rd_kafka_* RdKafka::* rd_list_* rd_buf_*"],
  [
    "hiredis",
    "github.com/redis/hiredis",
    "redisAsync* redisContext* redisCommand* redisReader* redisBuffer* redisConnect*",
  ],
  [
    "libpq",
    "postgresql.org",
    `PQexec* PQconnect* PQfinish* PQgetvalue* PQgetResult* PQclear PQsend* PQconsume* pqSocket*
    pqRead* pqParse* pqGet* pqPut* pqsecure_*`,
  ],
  ["MySQL's or MariaDB's client", "mysql.com", "mysql_* mariadb_* my_net_*"],
  ["the driver of MongoDB", "mongoc.org", "mongoc_* _mongoc_* bson_* _bson_*"],
  ["usrsctp", "github.com/sctplab/usrsctp", "usrsctp_* sctp_*"],
  ["libsrtp", "github.com/cisco/libsrtp", "srtp_*"],
  ["libnice", "libnice.freedesktop.org", "nice_agent_* stun_agent_* stun_message_*"],
  [
    "PJSIP",
    "pjsip.org",
    `pj_thread_* pj_pool_* pj_ioqueue_* pj_timer_* pj_mutex_* pj_lock_* pj_grp_lock_* pj_sock_*
    pj_strdup* pj_strcmp* pj_ice_* pj_stun_* pj_turn_* pj_init pjsip_* pjsua_* pjmedia_*
    pjnath_* pjlib_*`,
  ],
  [
    "Linphone or Mediastreamer",
    "linphone.org",
    "linphone_* mediastreamer2::* ms_ticker_* ms_filter_* LinphonePrivate::* belle_sip_* bctbx_*",
  ],
  ["libtorrent", "libtorrent.org", "libtorrent::*"],
  [
    "libtransmission",
    "transmissionbt.com",
    "tr_session* tr_torrent* tr_peer* tr_handshake* tr_rpc*",
  ],
  [
    "libusb",
    "libusb.info",
    `libusb_* usbi_* darwin_claim_interface darwin_release_interface darwin_devices_detached
    darwin_devices_attached darwin_event_thread_main darwin_submit* darwin_open darwin_close
    darwin_get_device_list darwin_async_io_callback darwin_destroy_device
    darwin_ref_cached_device darwin_deref_cached_device op_handle_events`,
  ],
  [
    "hidapi",
    "github.com/libusb/hidapi",
    `hid_open* hid_read* hid_write hid_close hid_enumerate hid_exit hid_send_feature*
    hid_device_removal_callback hid_report_callback`,
  ],
  [
    "libuv",
    "github.com/libuv/libuv",
    `uv_accept* uv_backend_* uv_barrier_* uv_buf_init* uv_cancel* uv_chdir* uv_check_* uv_cond_*
    uv_cpu_* uv_cwd* uv_default_loop* uv_dlopen* uv_dlclose* uv_dlsym* uv_err_name* uv_exepath*
    uv_fileno* uv_freeaddrinfo* uv_get_* uv_getaddrinfo* uv_getnameinfo* uv_getrusage*
    uv_guess_handle* uv_handle_* uv_has_ref* uv_hrtime* uv_idle_* uv_if_* uv_inet_*
    uv_interface_* uv_ip4_* uv_ip6_* uv_is_active* uv_is_closing* uv_is_readable*
    uv_is_writable* uv_key_* uv_kill* uv_library_* uv_listen* uv_loadavg* uv_metrics_*
    uv_mutex_* uv_now* uv_once* uv_open_osfhandle* uv_os_* uv_prepare_* uv_print_* uv_process_*
    uv_random* uv_ref* uv_replace_allocator* uv_req_* uv_resident_* uv_rwlock_* uv_sem_*
    uv_set_process* uv_setup_args* uv_shutdown* uv_signal_* uv_sleep* uv_socketpair* uv_stop*
    uv_stream_* uv_strerror* uv_thread_* uv_try_* uv_tty_* uv_udp_* uv_unref* uv_update_time*
    uv_uptime* uv_version* uv_walk*`,
  ],
  [
    "zlib",
    "zlib.net",
    `inflateInit* inflateEnd inflateReset* inflate_fast inflate_table inflateSetDictionary
    inflateSync* inflateBack* deflateInit* deflateEnd deflateReset* deflate_fast deflate_slow
    deflate_stored deflate_rle deflate_huff deflateParams _tr_* fill_window longest_match
    crc32_z crc32_combine* adler32_z adler32_combine* gzopen* gzread* gzwrite gzclose* gzputs
    gzgets gzseek* gzerror zng_*`,
  ],
  ["minizip", "github.com/madler/zlib, contrib/minizip", "mz_zip_* mz_stream_*"],
  [
    "miniz",
    "github.com/richgel999/miniz",
    "mz_inflate* mz_deflate* mz_compress* mz_uncompress* tinfl_* tdefl_*",
  ],
  ["bzip2", "sourceware.org/bzip2", "BZ2_*"],
  ["XZ Utils", "tukaani.org/xz", "lzma_*"],
  ["Zstandard", "facebook.github.io/zstd", "ZSTD_* ZDICT_* HUF_* FSE_* HUFv* ZBUFF_* COVER_*"],
  ["LZ4", "lz4.org", "LZ4_* LZ4F_* LZ4HC_*"],
  ["Snappy", "google.github.io/snappy", "snappy::*"],
  ["Brotli", "github.com/google/brotli", "Brotli*"],
  [
    "libarchive",
    "libarchive.org",
    `archive_read_* archive_write_* archive_entry_* __archive_* archive_match_* archive_string_*
    archive_mstring_* archive_acl_* archive_set_error`,
  ],
  [
    "libzip",
    "libzip.org",
    `zip_source_* zip_fopen* zip_fread zip_stat* zip_file_* zip_get_* zip_set_* _zip_* zip_open
    zip_close zip_discard`,
  ],
  [
    "libjpeg",
    "libjpeg-turbo.org",
    "jpeg_* jinit_* jsimd_* tjCompress* tjDecompress* tjInit* jcopy_* jround_up jzero_far",
  ],
  [
    "libtiff",
    "libtiff.gitlab.io",
    `TIFFRead* TIFFWrite* TIFFGet* TIFFSet* TIFFOpen* TIFFClose* TIFFClientOpen* TIFFFetch*
    TIFFInit* TIFFFill* TIFFRGBA* _TIFF* TIFFjpeg_* TIFFVStripSize* TIFFScanlineSize* TIFFFlush*`,
  ],
  ["giflib", "giflib.sourceforge.net", "DGif* EGif* GifFree* GifMake* GifAdd*"],
  [
    "WebP",
    "chromium.googlesource.com/webm/libwebp: the prefixes of its functions",
    `WebP* VP8Get* VP8Init* VP8Enter* VP8Exit* VP8Parse* VP8Enc* VP8Set* VP8Iterator* VP8Filter*
    VP8PutBit* VP8Bit* VP8New* VP8Dsp* VP8Write* VP8Tree* VP8ResetProba`,
  ],
  ["OpenJPEG", "openjpeg.org", "opj_*"],
  ["OpenEXR", "openexr.com", "Imf_* Imf::* IlmThread::* Iex::*"],
  ["LibRaw", "libraw.org", "LibRaw::* libraw_*"],
  ["Exiv2", "exiv2.org", "Exiv2::*"],
  [
    "libexif",
    "libexif.github.io",
    "exif_data_* exif_content_* exif_entry_* exif_loader_* exif_mnote_* exif_mem_*",
  ],
  ["libheif or libde265", "github.com/strukturag", "heif_* de265_* HeifContext::* HeifFile::*"],
  ["JPEG XL", "jpeg.org/jpegxl", "jxl::* Jxl*"],
  ["libvips", "libvips.org", "vips_* vips__*"],
  [
    "ImageMagick",
    "imagemagick.org",
    "Magick::* MagickCore* MagickWand* AcquireMagick* MagickRead* MagickWrite*",
  ],
  [
    "stb's libraries",
    "github.com/nothings/stb",
    "stbi_* stbi__* stbtt_* stbtt__* stbir_* stbir__* stb_vorbis_*",
  ],
  [
    "FreeType",
    "freetype.org",
    `FT_Attach_* FT_Add_* FT_Select_* FT_Request_* FT_List_* FT_Matrix_* FT_Vector_* FT_Mul*
    FT_Div* FT_Reference_* FT_Remove_* FT_Activate* FT_CMap_* FT_Raccess_* FT_GlyphLoader_*
    FT_Stroker_* FT_Trace* FT_Property_* FT_Sfnt_* FTC_* ft_mem_* ft_smooth_* ft_black_*
    ft_glyphslot_* ft_open_face* ft_module_* ft_hash_* ft_synthesize_* ft_corner_* ft_property_*
    tt_face_* tt_size_* tt_cmap* tt_loader_* tt_glyph_* tt_get_* TT_Load_* TT_Run_* TT_Process_*
    TT_RunIns TT_Hint_* TT_Access_* TT_Vary_* cff_* cf2_* af_glyph_* af_latin_* af_loader_*
    af_cjk_* af_autofitter_* af_face_* af_axis_* psh_* ps_parser_* ps_hints_* ps_table_* pfr_*
    pcf_* t1_* T1_* t42_* cid_* otv_* gxv_* gray_raster_* gray_convert_* gray_render_*
    gray_hline`,
  ],
  [
    "HarfBuzz",
    "harfbuzz.github.io",
    `hb_buffer_add_utf* hb_buffer_guess* hb_buffer_create* hb_buffer_destroy hb_buffer_set_*
    hb_buffer_get_* hb_buffer_reverse* hb_buffer_reset hb_buffer_clear* hb_set_add* hb_set_has*
    hb_set_del* hb_set_next* hb_set_union hb_set_intersect hb_map_get hb_map_set hb_map_has
    hb_buffer_serialize* hb_buffer_t::* hb_blob_* hb_ft_* hb_unicode_* hb_language_* hb_script_*
    hb_subset_* hb_draw_* hb_paint_* hb_lazy_loader_* hb_vector_* hb_ucd_* hb_graphite2_*
    hb_sanitize_* _hb_* OT::hb_* OT::Layout::* OT::GSUB* OT::GPOS* OT::SubstLookup*
    OT::PosLookup* AAT::*`,
  ],
  [
    "libass",
    "github.com/libass/libass",
    `ass_render* ass_read* ass_new* ass_library_* ass_process* ass_font* ass_free* ass_set_*
    ass_cache_* ass_outline_* ass_bitmap_* ass_shaper_* ass_event_* ass_track_*`,
  ],
  [
    "libxml2",
    "gitlab.gnome.org/GNOME/libxml2",
    `xmlParse* xmlRead* xmlNew* xmlFree* xmlNode* xmlDoc* xmlBuf* xmlStr* xmlXPath* xmlText*
    xmlSAX* xmlCreate* xmlInit* xmlCleanup* xmlHash* xmlDict* xmlSchema* xmlRelaxNG* xmlOutput*
    xmlParser* xmlGet* xmlSet* xmlAdd* xmlUnlink* xmlEncode* xmlCtxt* xmlIO* xmlRaise* __xml*
    xmlError* xmlC14N* xmlReg* xmlCopy* xmlSkip* xmlNext* xmlCurrent* xmlUTF8* xmlChar* xmlHas*
    xmlFind* xmlSearch* xmlValid* xmlEntity* xmlList* xmlURI* xmlMem* xmlCheck* xmlBuild*
    xmlLoad* xmlSwitch* xmlByte* xmlKeep* htmlParse* htmlNode* htmlDoc* htmlRead* htmlFree*
    htmlNew* htmlCreate* htmlCtxt* htmlInit* htmlAuto*`,
  ],
  [
    "libxslt",
    "gitlab.gnome.org/GNOME/libxslt",
    "xsltApply* xsltParse* xsltProcess* xsltTransform* xsltNew* xsltFree* xsltLoad* xsltCompile*",
  ],
  [
    "Expat",
    "libexpat.github.io",
    `XML_Parse* XML_Get* XML_Set* XML_Expat* XML_External* XML_Stop* XML_Resume* XmlInit* XmlGet*
    XmlParse* XmlPrologState* storeAtts storeRawNames doProlog doContent contentProcessor
    prologProcessor normal_contentTok normal_prologTok big2_contentTok little2_contentTok
    normal_scanAtts`,
  ],
  ["Xerces-C++ or Xalan", "xerces.apache.org", "xercesc_* xercesc::* xalanc_* xalanc::*"],
  ["TinyXML", "github.com/leethomason/tinyxml2", "tinyxml2::* TiXml*"],
  ["pugixml", "pugixml.org", "pugi::*"],
  ["JSON for Modern C++", "json.nlohmann.me", "nlohmann::*"],
  [
    "JsonCpp",
    "github.com/open-source-parsers/jsoncpp",
    `Json::Value::* Json::Reader::* Json::Our* Json::Stream* Json::Styled* Json::Fast*
    Json::CharReader* Json::throw*`,
  ],
  ["cJSON", "github.com/DaveGamble/cJSON", "cJSON_* cJSON"],
  [
    "Jansson",
    "github.com/akheron/jansson",
    "jansson_* json_loads json_dumps json_object_set_new json_object_iter*",
  ],
  ["yyjson", "github.com/ibireme/yyjson", "yyjson_*"],
  ["simdjson", "simdjson.org", "simdjson::*"],
  [
    "LibYAML",
    "github.com/yaml/libyaml",
    `yaml_parser_* yaml_emitter_* yaml_document_* yaml_event_* yaml_token_* yaml_string_*
    yaml_queue_* yaml_stack_*`,
  ],
  ["yaml-cpp", "github.com/jbeder/yaml-cpp", "YAML::*"],
  ["PCRE", "pcre.org", "pcre_* pcre2_* pcre16_* pcre32_* _pcre_* _pcre2_* pcrecpp::*"],
  ["Oniguruma", "github.com/kkos/oniguruma", "onig_* onigenc_*"],
  ["RE2", "github.com/google/re2", "re2::*"],
  [
    "ICU",
    "icu.unicode.org",
    `icu_4* icu_5* icu_6* icu_7* icu_8* icu::* ucnv_* ucol_* uloc_* ulocimp_* ubrk_* udat_*
    unum_* udatpg_* utext_* uset_* ures_* uregex_* usearch_* utrans_* uidna_* unorm_* unorm2_*
    ubidi_* ucal_* uhash_* uprv_* ucasemap_* uldn_* ucurr_* uspoof_* utrie_* utrie2_* ucptrie_*
    umutablecptrie_* udata_* usprep_* uscript_* uenum_* ucsdet_* uplrules_* ureldatefmt_*
    ulistfmt_* uniset_* umsg_* uchar_swapNames_* ustrcase_* utf8_nextCharSafeBody*
    utf8_appendCharSafeBody* uiter_* upname_* ubiditransform_* u_str* u_memcpy* u_char* u_is*
    u_to* u_fold* u_get* u_init* u_versionToString* u_errorName* u_unescape* u_setDataDirectory*
    u_printf* u_fopen* u_getDataDirectory*`,
  ],
  ["Protocol Buffers", "github.com/protocolbuffers", "upb_* _upb_* upb::* protobuf_c_*"],
  [
    "gRPC",
    "github.com/grpc/grpc",
    `grpc_* grpc_event_engine::* gpr_* tsi_* census_* pollset_work* pollset_kick* cq_next*
    cq_pluck* [GRX*`,
  ],
  ["Abseil", "abseil.io", "AbslInternal*"],
  [
    "glog or gflags",
    "github.com/google/glog, github.com/gflags/gflags",
    `google::LogMessage* google::LogDestination* google::InstallFailure*
    google::InitGoogleLogging* google::Raw* google::ErrnoLog* google::CommandLine* google::Flag*
    google::ParseCommandLine* google::glog_internal* gflags::*`,
  ],
  ["FlatBuffers", "flatbuffers.dev", "flatbuffers::* flexbuffers::*"],
  ["Cap'n Proto", "capnproto.org", "capnp::* kj::*"],
  ["Apache Thrift", "thrift.apache.org", "apache::thrift::*"],
  ["Apache Arrow", "arrow.apache.org", "arrow::* parquet::*"],
  ["MessagePack", "msgpack.org", "msgpack::* msgpack_*"],
  ["fmt or spdlog", "github.com/fmtlib/fmt, github.com/gabime/spdlog", "fmt::* spdlog::*"],
  ["Intel's TBB", "github.com/oneapi-src/oneTBB", "tbb::*"],
  ["the OpenMP run-time", "openmp.llvm.org", "__kmp_* __kmpc_* kmp_* omp_* GOMP_* gomp_* __ompt_*"],
  [
    "LLVM or Clang",
    "llvm.org",
    `llvm::* clang::* lldb_private::* lldb::* mlir::* lld::* LLVMBuild* LLVMGet* LLVMRun*
    LLVMCreate* LLVMDispose* LLVMAdd* LLVMInitialize* clang_*`,
  ],
  [
    "Swift's compiler or SourceKit",
    "github.com/swiftlang/swift",
    `swift::TypeChecker::* swift::ASTContext::* swift::Parser::* swift::ClangImporter::*
    swift::constraints::* swift::Lowering::* swift::SIL* swift::irgen::* swift::ide::*
    SourceKit::*`,
  ],
  ["libffi", "sourceware.org/libffi", "ffi_* ffi_closure_*"],
  ["libunwind", "libunwind.org", "_UCD_* unw_* libunwind::*"],
  [
    "libbacktrace",
    "github.com/ianlancetaylor/libbacktrace",
    `backtrace_dwarf_* backtrace_initialize backtrace_pcinfo backtrace_syminfo backtrace_full
    backtrace_simple backtrace_vector_* backtrace_create_state macho_add macho_nosyms`,
  ],
  [
    "mimalloc",
    "github.com/microsoft/mimalloc",
    `_mi_* mi_malloc* mi_free* mi_heap_* mi_page_* mi_segment* mi_arena* mi_thread_* mi_process_*
    mi_zalloc* mi_calloc* mi_realloc* mi_option_* mi_stat* mi_new* mi_os_* mi_bitmap_*`,
  ],
  ["jemalloc", "jemalloc.net", "je_* jemalloc_* _rjem_* rjem_*"],
  [
    "tcmalloc",
    "github.com/gperftools/gperftools",
    `tcmalloc::* tc_malloc* tc_free* tc_new* tc_delete* tc_realloc* tc_calloc* tc_memalign*
    TCMalloc*`,
  ],
  ["snmalloc", "github.com/microsoft/snmalloc", "snmalloc::*"],
  [
    "the Boehm garbage collector",
    "github.com/ivmai/bdwgc",
    `GC_register* GC_unregister* GC_start_* GC_thread_* GC_finalize* GC_finalized*
    GC_invoke_finalizers* GC_base* GC_size* GC_realloc* GC_free* GC_gcj_* GC_init* GC_allochblk*
    GC_alloc_* GC_allocobj* GC_try_* GC_find_* GC_add_* GC_remove_* GC_suspend* GC_stop_*
    GC_lock* GC_call_with* GC_set_* GC_get_* GC_enable* GC_disable* GC_new_* GC_expand_*
    GC_continue_* GC_initiate_* GC_promote_* GC_pthread_* GC_unix_* GC_dirty* GC_debug_*
    GC_print_* GC_is_* GC_generic_* GC_delete_* GC_build_* GC_notify_* GC_wait_* GC_lookup_*
    GC_header_* GC_install_* GC_apply_* GC_scratch_* GC_freehblk* GC_never_stop* GC_should_*
    GC_restart_* GC_toggleref* GC_thr_* GC_check_* GC_memalign* GC_do_* GC_unmap* GC_remap*
    GC_merge_* GC_exclude_* GC_block_* GC_calloc* GC_strdup* GC_clear_*`,
  ],
  [
    "SQLite",
    "sqlite.org: the prefixes of its own functions, beside sqlite3",
    `fts3* fts5* vdbePmaReader* vdbeSorter* vdbeMerge* vdbeIncr* vdbeCommit* vdbeFreeOp*
    vdbeClose* pcache1* pager_* pagerAdd* pagerOpen* pagerWrite* pagerUnlock* pagerStress*
    pagerLock* pagerBegin* pagerAcquire* pagerPlayback* walIndex* walChecksum* walFrames
    walTryBegin* walCheckpoint* walRestart* walWrite* walLimit* btreeParse* btreeInit*
    btreeCursor* btreeCreate* btreeDropTable btreeInvoke* btreeHeap* btreeGet* btreeOverwrite*
    btreePage* btreeNext btreePrevious btreeEnd* btreeMoveto* lockBtree* moveToRoot moveToChild
    moveToLeftmost unixOpen* unixLock unixUnlock unixSync unixRead unixWrite unixShm*
    unixFileSize unixClose unixModeBit unixGetTempname whereLoop* wherePath* exprAnalyze*
    resolveSelectStep resolveExprStep selectInnerLoop memjrnl* rtreeInit rtreeStep rtreeFilter
    jsonParse* jsonAppend* jsonEach* sqlite_* sqlcipher_*`,
  ],
  ["LMDB", "symas.com/lmdb", "mdb_*"],
  ["Berkeley DB", "oracle.com", "__db_* __bam_* __memp_* __ham_* __txn_*"],
  ["LevelDB or RocksDB", "github.com/google/leveldb, rocksdb.org", "leveldb_* rocksdb_*"],
  [
    "WCDB or MMKV",
    "github.com/Tencent",
    `WCDB::* MMKV::* mmkv::* [MMKV* [WCTTable* [WCTDatabase* [WCTCore* [WCTHandle* [WCTInterface*
    [WCTTransaction*`,
  ],
  ["ObjectBox", "objectbox.io", "objectbox::* obx_*"],
  [
    "Couchbase Lite",
    "couchbase.com",
    "litecore::* c4db_* c4doc_* c4query_* c4repl_* fleece::* [CBL*",
  ],
  ["DuckDB", "duckdb.org", "duckdb::* duckdb_*"],
  [
    "Realm",
    "github.com/realm/realm-core",
    `realm_* RLMObjectBase* RLMAccessor* RLMVerify* RLMGet* RLMSet* RLMDynamic* RLMRealm* RLMAdd*
    RLMCreate*`,
  ],
  [
    "SDL",
    "github.com/libsdl-org/SDL: its parts",
    `HIDAPI_* Cocoa_Pump* Cocoa_Create* Cocoa_Set* Cocoa_GetDisplay* Cocoa_Metal* Cocoa_Show*
    Cocoa_Register* Cocoa_Video* Cocoa_Init* Cocoa_Quit* UIKit_Pump* UIKit_Create* UIKit_Video*
    UIKit_Metal* UIKit_Show* METAL_* GLES2_* COREAUDIO_* DARWIN_Haptic* IOS_Joystick* [SDL*
    [Cocoa_*`,
  ],
  [
    "SDL_image, SDL_mixer, SDL_ttf or SDL_net",
    "github.com/libsdl-org",
    "IMG_Load* IMG_Init* IMG_is* IMG_Quit* IMG_Save* Mix_* TTF_* SDLNet_*",
  ],
  [
    "SFML",
    "sfml-dev.org",
    "sf::* sfRender* sfWindow* [SFOpenGL* [SFWindow* [SFApplication* [SFView*",
  ],
  [
    "Allegro",
    "liballeg.org",
    `al_install_* al_init_* al_create_display al_create_bitmap al_destroy_* al_draw_*
    al_flip_display al_wait_for_event* al_register_event_source al_load_bitmap* al_run_main
    _al_* [ALWindow* [ALOpenGLView*`,
  ],
  ["raylib", "raylib.com", "rlglInit rlglClose rlLoad* rlDraw* rlUpdate*"],
  ["GLEW", "glew.sourceforge.net", "glewInit* glewContext* _glew*"],
  [
    "Godot",
    "github.com/godotengine/godot",
    `GDScript* OS_OSX::* OS_MacOS::* OS_IOS::* OSIPhone::* OS_AppleEmbedded::*
    DisplayServerMacOS::* DisplayServerIOS::* RenderingDevice::* RenderingDeviceVulkan::*
    RenderingDeviceDriver* RendererRD::* RenderingServerDefault::* GodotPhysics* GodotBody*
    GodotSpace* [GodotApplication* [GodotWindow* [GodotContent* [GodotApp* [GodotView*
    ClassDB::* SceneTree::* VisualServer* RasterizerGLES* godot::*`,
  ],
  [
    "Unity",
    "docs.unity3d.com",
    `[UnityAppController* [UnityFramework* [UnityView* [UnityDefault* [UnityPortrait*
    [UnityLandscape* UnityPlayerLoop* UnityRepaint* UnityInit* UnityPause* UnityRender*
    UnitySetPlayerFocus* UnityUpdate* UnityDisplay* UnitySendMessage* PlayerLoop()
    PlayerLoopController* PlayerInit* GfxDevice::* GfxDeviceWorker* GfxDeviceClient*
    GfxDeviceMetal* GfxDeviceGLES* MonoBehaviour::* ScriptableRenderContext::*
    PersistentManager::* PreloadManager::* JobQueue::* ThreadedStreamBuffer::* MonoManager::*
    GarbageCollectSharedAssets* AssetBundle::* BatchDelete*`,
  ],
  [
    "Unreal Engine",
    "dev.epicgames.com/documentation/unreal-engine",
    `FMacApplication::* FMacPlatform* FMacCursor::* FIOS* FApple* FEngineLoop::* UWorld::*
    UEngine::* UGameEngine::* UGameInstance::* UObjectBase* UObject::* UClass::* UFunction::*
    UStruct::* UActorComponent::* USceneComponent::* UPrimitiveComponent::* USkeletalMesh*
    UStaticMesh* UAnimInstance::* UUserWidget::* ULevel::* UPackage::* UGameViewportClient::*
    AActor::* APawn::* ACharacter::* AController::* APlayerController::* AGameMode* FMetal*
    FRHI* FSlate* FTaskGraph* FNamedTaskThread::* FRunnableThread* FThreadPThread::* FPThread*
    FPlatform* FGenericPlatform* FMalloc* FRenderingThread* FScene::* FSceneRenderer::*
    FMemory::* FUObject* FAssetRegistry* FPakFile* FPakPlatformFile* FLinker* FAsyncLoading*
    FAsyncPackage* FDebug::* FOutputDevice* FCocoa* [FCocoa* [IOSAppDelegate* [FIOS*
    FEngineLoop* FTicker::* FTSTicker::* FQueuedThread* FParticle* FTickFunction*
    FTickTaskManager* FCoreDelegates* FHttpManager::* FCurlHttp* FVirtualTexture* FShader*
    FMaterial* FPhysScene* Chaos::*`,
  ],
  [
    "cocos2d-x or its parts",
    "github.com/cocos2d/cocos2d-x",
    `CocosDenshion::* cocostudio::* spine::* dragonBones::* ScriptingCore::* LuaEngine::*
    CCLuaEngine::* js_cocos2dx_* lua_cocos2dx_* tolua_* [CCEAGLView* [CCDirectorCaller*
    fairygui::*`,
  ],
  [
    "Cocos2D",
    "github.com/cocos2d/cocos2d-objc",
    `[CCDirector* [CCTexture2D [CCTextureAtlas [CCLabelAtlas [CCMenu [CCMenuItem* [CCGLView*
    [CCTouchDispatcher [CCLayer [CCLayerColor [CCTransitionScene [CCParticle* [CCTMX*
    [CCSequence [CCMoveTo [CCCallFunc* [SimpleAudioEngine [CDAudioManager [CDSoundEngine`,
  ],
  ["Corona (Solar2D)", "github.com/coronalabs/corona", "Rtt::* Rtt_* [CoronaView*"],
  ["LÖVE", "love2d.org", "love::* luaopen_love*"],
  ["OGRE", "ogre3d.org", "Ogre::* OgreBites::*"],
  ["Irrlicht", "irrlicht.sourceforge.io", "irr::*"],
  ["bgfx", "github.com/bkaradzic/bgfx", "bgfx::* bx::*"],
  [
    "OpenSceneGraph",
    "openscenegraph.org",
    "osg::* osgDB::* osgViewer::* osgUtil::* osgGA::* OpenThreads::*",
  ],
  [
    "Open CASCADE",
    "dev.opencascade.org: the packages of its classes",
    `BRep_* BRepAdaptor_* BRepAlgo* BRepBuilder* BRepFillet* BRepMesh_* BRepTools* BRepPrim*
    BRepLib* BRepClass* BRepOffset* BRepExtrema* BRepCheck* BOPAlgo_* BOPTools_* BOPDS_*
    TopoDS_* TopExp_* TopLoc_* TopTools_* Geom_* Geom2d_* GeomAPI_* GeomAdaptor_* GeomFill_*
    GeomLib_* GeomTools_* ChFi3d_* ChFiDS_* ChFiKPart_* gp_Pnt* gp_Vec* gp_Trsf* gp_Ax* gp_Dir*
    gp_Quaternion* gp_Pln* AIS_* V3d_* Graphic3d_* OpenGl_* Prs3d_* StdPrs_* SelectMgr_*
    IntTools_* IntPatch_* IntWalk_* IntCurve* Standard_* NCollection_* opencascade::*
    STEPControl_* IGESControl_* XCAFDoc_* TDF_* TDocStd_* ShapeFix_* ShapeAnalysis_*
    ShapeUpgrade_* Message_Progress* Poly_* HLRBRep_* Extrema_* Adaptor3d_* Bnd_* Approx*
    GCPnts_* Law_*`,
  ],
  [
    "Coin3D",
    "coin3d.github.io",
    `SoNode::* SoSeparator::* SoAction::* SoGLRender* SoField* SoSensor* SoGroup::* SoRayPick*
    SoShape::* SoState::* SoElement* SoHandleEvent* SoDB::* SoInput::* SbMatrix::* SoPath::*
    SIM::Coin3D::* SoQt*`,
  ],
  [
    "CTK",
    "commontk.org",
    `ctkVTK* ctkFD* ctkApp* ctkDICOM* ctkPython* ctkCmdLine* ctkWidgets* ctkErrorLog* ctkSlider*
    ctkPlugin*`,
  ],
  ["ParaView", "paraview.org", "pqView* pqPipeline* pqApplication* pqServer* pqProxy*"],
  [
    "CGAL or GEOS",
    "cgal.org, libgeos.org",
    "CGAL::* geos::* GEOSGeom* GEOSIntersect* GEOSBuffer* GEOS_*",
  ],
  [
    "GDAL or PROJ",
    "gdal.org, proj.org",
    `GDAL* OGR_* OGRGeometry* OGRSpatial* OGRFeature* OGRLayer* OGRPolygon* OGRPoint* CPLMalloc*
    CPLRealloc* CPLError* CPLOpen* CPLDebug* VSIFOpen* VSIFRead* VSIMalloc* proj_*
    osgeo::proj::*`,
  ],
  [
    "HDF5 or NetCDF",
    "hdfgroup.org, unidata.ucar.edu",
    `H5A_* H5D_* H5F_* H5G_* H5HG_* H5I_* H5MM_* H5O_* H5P_* H5S_* H5T_* H5Z_* H5VL_* H5L_* H5C_*
    H5AC_* H5FD_* H5B_* H5B2_* H5EA_* H5FA_* H5HF_* H5HL_* H5SL_* H5E_* H5Aread* H5Dread*
    H5Dopen* H5Dwrite* H5Fopen* H5Gopen* H5open* H5close* nc_open* nc_get_* nc_put_* nc_def_*
    nc_inq* NC_* NC4_* nc4_*`,
  ],
  [
    "a library of linear algebra (BLAS or LAPACK)",
    "openblas.net, netlib.org/lapack",
    "openblas_* blas_thread* gotoblas_* cblas_* LAPACKE_* exec_blas* blas_memory*",
  ],
  ["FFTW", "fftw.org", "fftw_* fftwf_* fftwl_*"],
  ["GSL", "gnu.org/software/gsl", "gsl_*"],
  ["GMP or MPFR", "gmplib.org, mpfr.org", "__gmp* mpfr_* gmp_printf* gmp_snprintf*"],
  [
    "Eigen, Ceres or Armadillo",
    "eigen.tuxfamily.org, ceres-solver.org, arma.sourceforge.net",
    "Eigen::* ceres::* arma::*",
  ],
  [
    "OpenCV",
    "opencv.org",
    "cvCreate* cvRelease* cvLoad* cvCvt* cvShow* cvCapture* cvFind* cvResize* cvWait*",
  ],
  [
    "Tesseract or Leptonica",
    "github.com/tesseract-ocr",
    `tesseract::* TessBaseAPI* pixCreate* pixRead* pixDestroy* pixConvert* pixScale* pixaGet*
    pixClone* leptonica*`,
  ],
  ["MediaPipe", "github.com/google-ai-edge/mediapipe", "mediapipe::*"],
  [
    "ONNX Runtime or ncnn or MNN",
    "onnxruntime.ai, github.com/Tencent/ncnn, github.com/alibaba/MNN",
    "onnxruntime::* ncnn::* MNN::* Ort::* OrtApis::*",
  ],
  ["whisper.cpp", "github.com/ggml-org/whisper.cpp", "whisper_*"],
  ["MLX", "github.com/ml-explore/mlx", "mlx::* mlx_array_* mlx_stream_* mlx_fast_*"],
  [
    "Bullet",
    "bulletphysics.org",
    `btDiscreteDynamics* btCollision* btRigidBody::* btDbvt* btSequentialImpulse* btConvex*
    btGjk* btBvh* btTriangle* btSimulation* btAxisSweep* btQuantized* btPersistentManifold*
    btAlignedAlloc* btDispatcher* btSoftBody* btMultiBody* btShape* btHinge* btGeneric6Dof*
    btHashed* btOverlapping*`,
  ],
  [
    "Box2D",
    "box2d.org",
    `b2Fixture::* b2Broad* b2DynamicTree::* b2Island::* b2World* b2Body* b2Joint::* b2Distance*
    b2Chain* b2Polygon* b2Edge* b2Block* b2Stack* b2Collide* b2TimeOfImpact* b2Alloc*
    b2Revolute* b2Mouse* b2Weld* b2Prismatic*`,
  ],
  [
    "Chipmunk",
    "chipmunk-physics.net",
    `cpSpace* cpBody* cpShape* cpArbiter* cpBBTree* cpHashSet* cpArray* cpPoly* cpConstraint*
    cpSpatialIndex* cpCollide* cpCircleShape* cpSegment* cpPivotJoint* cpHastySpace*`,
  ],
  [
    "ODE",
    "ode.org",
    `dWorldStep* dWorldQuickStep* dSpaceCollide* dGeomSet* dGeomGet* dJointAttach* dBodySet*
    dBodyGet* dBodyAdd* dxStep* dxWorld* dxJoint* dxSpace* dxGeom*`,
  ],
  ["Jolt Physics", "github.com/jrouwe/JoltPhysics", "JPH::*"],
  ["Assimp", "assimp.org", "Assimp::* aiImportFile* aiReleaseImport*"],
  [
    "draco or tinygltf",
    "github.com/google/draco, github.com/syoyo/tinygltf",
    "draco::* tinygltf::*",
  ],
  ["Filament", "github.com/google/filament", "filament::* filamat::* gltfio::*"],
  [
    "MoltenVK or SPIRV-Cross",
    "github.com/KhronosGroup",
    `spirv_cross::* MVK_spirv_cross::* mvk::* spv::* glslang::* spvtools::* vkCreate* vkQueue*
    vkCmd* vkDestroy* vkAllocate* vkBegin* vkEnd* vkAcquire* vkWait* vkGet* vkEnumerate* vkMap*
    vkUpdate* vkReset*`,
  ],
  [
    "ANGLE",
    "chromium.googlesource.com/angle/angle",
    "rx::* gl::Context::* gl::Program::* egl::Display::* sh::TCompiler::* sh::TParse*",
  ],
  [
    "wgpu-native or Dawn",
    "github.com/gfx-rs/wgpu, dawn.googlesource.com",
    "dawn::* dawn_native::* wgpuDevice* wgpuQueue* wgpuInstance* wgpuSurface* wgpuRender* tint::*",
  ],
  [
    "Skia",
    "skia.org",
    `SkCanvas* SkBitmap* SkPaint* SkPath* SkSurface* SkImage* SkTypeface* SkFont* SkGpu*
    SkRecord* SkPicture* SkShader* SkBlitter* SkRaster* SkScan* SkMatrix* SkRegion* SkSL::*
    skgpu::* GrContext* GrDirect* GrGpu* GrOp* GrMtl* GrGL* GrDrawing* GrResource* GrSurface*
    GrTexture* GrRender* GrRecording* GrProxyProvider* GrBackend* sk_malloc* sk_free* SkString*
    SkData* SkCodec* SkTextBlob* SkStrike* SkGlyph* SkScaler* SkResource* SkTask* SkExecutor*
    SkDraw* SkDevice* SkBaseDevice* SkColorSpace* SkMask* SkRefCnt* SkAndroidCodec* SkStream*
    SkUnicode* SkAutoMalloc* SkArena* SkAnalyticEdge* SkAAClip* SkEdge* SkRBuffer* SkShaper*
    skia::textlayout::*`,
  ],
  [
    "Chromium",
    "chromium.googlesource.com",
    `blink::* mojo::* viz::* content::* gin::* net::URLRequest* net::Http*
    base::sequence_manager::* base::MessagePump* base::RunLoop::* base::TaskAnnotator*
    base::debug::* ChromeMain* electron::*`,
  ],
  [
    "the Chromium Embedded Framework",
    "github.com/chromiumembedded/cef",
    `cef_do_message_loop_work cef_initialize cef_shutdown cef_execute_process
    cef_run_message_loop cef_quit_message_loop cef_string_* cef_browser_* cef_request_* cef_v8*`,
  ],
  [
    "Node.js",
    "nodejs.org",
    "node::* napi_* node_api_* node_module_register* llhttp_* simdutf::* ada::*",
  ],
  ["V8", "v8.dev", "cppgc::* heap::base::* v8_inspector::* v8_crdtp::* disasm::* unibrow::*"],
  [
    "JavaScriptCore",
    "WebKit, Source/JavaScriptCore and bmalloc",
    `Inspector::* bmalloc::* pas_* bmalloc_* Gigacage::* JSObjectCallAs* JSValueTo*
    JSEvaluateScript JSCheckScriptSyntax JSGarbageCollect JSContextGroup* JSGlobalContext*
    OpaqueJSClass::* operationJIT* slow_path_* llint_slow_path*`,
  ],
  ["WebKit", "webkit.org", "WebCore::* WebKit::* PAL::*"],
  [
    "SpiderMonkey",
    "spidermonkey.dev",
    `js::jit::* js::gc::* js::frontend::* js::wasm::* js::Interpret* js::Invoke* js::RunScript*
    js::Native* js::Call* js::Execute* js::GC* js::NewObject* JS::Rooted* JS_ExecuteScript*
    JS_CallFunction* JS_GC`,
  ],
  [
    "Mozilla's code",
    "firefox-source-docs.mozilla.org",
    `mozilla::* nsThread* nsCOMPtr* nsDocShell* nsXPT* XPCJSRuntime* XPCJSContext* XPCWrapped*
    nsJSContext* nsAppShell* NS_Process* nsFrame* nsPresShell*`,
  ],
  ["Hermes", "github.com/facebook/hermes", "llvh::* _sh_ljs_*"],
  [
    "QuickJS",
    "bellard.org/quickjs",
    `JS_NewContext* JS_NewRuntime* JS_FreeContext* JS_FreeRuntime* JS_GetProperty*
    JS_SetProperty* JS_DefineProperty* JS_DupValue* JS_RunGC* js_create_* js_array_* js_string_*
    js_object_* js_promise_* js_std_* js_os_* js_async_* js_closure* js_parse_* js_build_*
    js_regexp_* js_map_* js_proxy_* js_weakref_* lre_exec* lre_compile* js_def_malloc
    js_def_free js_def_realloc js_trigger_gc js_malloc_rt js_free_rt gc_free_cycles`,
  ],
  [
    "Lua",
    "lua.org: its interface",
    `lua_absindex lua_arith lua_atpanic lua_call lua_callk lua_checkstack lua_close* lua_compare
    lua_concat lua_copy lua_cpcall lua_createtable lua_dump lua_equal lua_error lua_gc
    lua_getfield lua_getfenv lua_getglobal lua_geti lua_gethook* lua_getinfo lua_getiuservalue
    lua_getlocal lua_getmetatable lua_getstack lua_gettable lua_gettop lua_getupvalue
    lua_getuservalue lua_insert lua_isuserdata lua_isstring lua_isnumber lua_isinteger
    lua_iscfunction lua_len lua_lessthan lua_load* lua_newstate lua_newtable lua_newthread
    lua_newuserdata* lua_next lua_objlen lua_pcall* lua_pushboolean lua_pushcclosure
    lua_pushfstring lua_pushinteger lua_pushlightuserdata lua_pushlstring lua_pushnil
    lua_pushnumber lua_pushstring lua_pushthread lua_pushvalue lua_pushvfstring lua_rawequal
    lua_rawget* lua_rawlen lua_rawset* lua_remove lua_replace lua_resume* lua_rotate
    lua_setallocf lua_setfenv lua_setfield lua_setglobal lua_sethook lua_seti lua_setiuservalue
    lua_setlocal lua_setmetatable lua_settable lua_settop lua_setupvalue lua_setuservalue
    lua_status lua_stringtonumber lua_toboolean lua_tocfunction lua_toclose lua_tointeger*
    lua_tolstring lua_tonumber* lua_topointer lua_tothread lua_touserdata lua_type lua_typename
    lua_upvalueid lua_upvaluejoin lua_version lua_xmove lua_yield* luaB_* luaopen_base
    luaopen_coroutine luaopen_table luaopen_io luaopen_os luaopen_string luaopen_utf8
    luaopen_math luaopen_debug luaopen_package luaopen_bit luaopen_bit32 luaopen_jit luaopen_ffi
    luaP_* lj_*`,
  ],
  [
    "WebRTC",
    "webrtc.googlesource.com/src: pc, net/dcsctp, modules/audio_processing, third_party/libyuv",
    "cricket::* dcsctp::* WebRtc* libyuv::* rnnoise_* usrsctp::*",
  ],
  [
    "pixman or Little CMS",
    "pixman.org, littlecms.com",
    `pixman_* _pixman_* cmsCreate* cmsOpen* cmsDo* cmsTransform* cmsRead* cmsWrite* cmsPipeline*
    cmsStage* cmsMLU* cmsFreeToneCurve* cmsBuild* cmsEval* cmsGet* cmsSet* _cms*`,
  ],
  ["Perfetto", "perfetto.dev", "perfetto::*"],
  ["OpenH264", "openh264.org", "WelsEnc::* WelsDec::* WelsCommon::* WelsVP::* Wels*"],
  ["libvips", "libvips.org", "vips::*"],
  ["ModPlug", "github.com/Konstanty/libmodplug", "CSoundFile::* ModPlug_*"],
  ["Luau", "luau.org", "Luau::* luau_*"],
  [
    "Python",
    "CPython, Include and Python",
    `Py_* _Py* PyObject_* PyObject* PyEval_* PyErr_* PyType_* PyDict_* PyList_* PyTuple_*
    PyUnicode_* PyUnicodeUCS2_* PyUnicodeUCS4_* PyBytes_* PyLong_* PyFloat_* PyComplex_*
    PyModule_* PyImport_* PyRun_* PyGILState_* PyThread_* PyThreadState_* PyInterpreterState_*
    PyMem_* PyCFunction_* PyCode_* PyFrame_* PyFunction_* PyMethod_* PyInstanceMethod_*
    PyNumber_* PySequence_* PyMapping_* PyIter_* PySeqIter_* PyGen_* PyInstance_* PyClass_*
    PyString_* PyInt_* PyArg_* PyBuffer_* PyMemoryView_* PyWeakref_* PySet_* PyFrozenSet_*
    PySlice_* PyStructSequence_* PySys_* PyTraceBack_* PyTraceback_* PyVectorcall_* PyAST_*
    PyArena_* PyCapsule_* PyCell_* PyContext_* PyCoro_* PyDescr_* PyException_* PyFile_* PyOS_*
    PyParser_* PyState_* PyToken_* PyBool_* PyByteArray_* PyAsyncGen_* PyCallable_* PyCodec_*
    PyConfig_* PyDate* PyDateTime_* PyODict_* PyStaticMethod_* PyWrapper_* PyMarshal_*
    PyMember_* PyIndex_* PyPreConfig_* PySignal_* PyStatus_* PyTraceMalloc_*`,
  ],
  ["PyObjC", "pyobjc.readthedocs.io", "PyObjC*"],
  [
    "pybind11, nanobind or Cython",
    "pybind11.readthedocs.io, nanobind.readthedocs.io, cython.org",
    "pybind11::* nanobind::* __Pyx_*",
  ],
  ["NumPy", "numpy.org", "PyArray_* PyUFunc_* npy_* NpyIter_*"],
  [
    "SIP, which PyQt is made with",
    "riverbankcomputing.com/software/sip",
    `sip_api_* sipSimpleWrapper* sipWrapper* pyqt5_* pyqt6_* pyqtBound* PyQtSlot* PyQtProxy*
    qpycore_*`,
  ],
  [
    "Ruby",
    "Ruby, include/ruby",
    `rb_Digest* rb_ary_* rb_ast_* rb_big_* rb_big2str* rb_block* rb_check* rb_class* rb_cloexec*
    rb_complex* rb_const* rb_cvar* rb_data* rb_debug* rb_define* rb_ec_* rb_econv* rb_enc_*
    rb_encdb* rb_error* rb_eval* rb_exc_* rb_exec* rb_execarg* rb_f_* rb_fd_* rb_fiber*
    rb_fiddle* rb_file* rb_filesystem* rb_float* rb_funcall* rb_funcallv* rb_gc_* rb_gvar*
    rb_hash* rb_id_* rb_int_* rb_io_* rb_iseq* rb_ivar* rb_load* rb_locale* rb_mark* rb_memory*
    rb_method* rb_mjit* rb_mod_* rb_mutex* rb_native* rb_nativethread* rb_num_* rb_obj_*
    rb_objspace* rb_parser* rb_proc* rb_profile* rb_ractor* rb_random* rb_rational* rb_reg_*
    rb_st_* rb_str_* rb_str2big* rb_struct* rb_sym_* rb_sys_* rb_syserr* rb_thread* rb_time*
    rb_to_* rb_tracearg* rb_tracepoint* rb_usascii* rb_utf8* rb_vm_* rb_yield* rb_raise rb_bug_*
    rb_rescue* rb_ensure* rb_protect rb_jump_tag rb_define_* ruby_init* ruby_run* ruby_exec*
    ruby_options ruby_cleanup ruby_setup ruby_stop ruby_sysinit ruby_process* ruby_script
    ruby_xmalloc* ruby_xfree ruby_xrealloc* ruby_xcalloc* ruby_vm_* ruby_brace* ruby_thread*
    ruby_gc* ruby_sig* ruby_str* ruby_qsort* ruby_native* ruby_debug* rbimpl_* rsock_*
    ruby_executable_node Init_BareVM vm_exec_core vm_call_* vm_invoke_* vm_search_method*
    gc_mark_* gc_sweep_* gc_start* gc_marks* gc_page_sweep newobj_slowpath* objspace_*
    iseq_compile* iseq_mark* st_lookup st_insert* st_init_* st_foreach* st_free_table st_delete`,
  ],
  [
    "R",
    "R, include",
    `Rf_* R_ReplDLLdo1 R_ReplDLLinit R_ReplConsole R_ReplFile R_eval R_tryEval* R_gc
    R_gc_internal R_UnwindProtect R_ToplevelExec R_ExecWithCleanup R_execClosure R_execMethod
    R_runHooks R_run_onexits R_signalErrorCondition* R_signal_protect* R_alloc R_CleanUp
    R_Suicide R_ReadConsole R_PolledEvents R_ProcessEvents R_PreserveObject R_ReleaseObject
    R_MakeWeakRef R_MakeExternalPtr* R_ParseVector R_ParseEvalString R_bcEval R_cmpfun*
    R_initialize_* R_registerRoutines R_useDynamicSymbols R_CheckStack* R_CheckUserInterrupt
    R_forceAndCall R_withCallingErrorHandler R_tryCatch* R_jumpctxt R_restore_*
    R_expand_binding* R_GetConnection R_getVar* R_findVar* SET_VECTOR_ELT SET_STRING_ELT
    ALTREP_* GEMode GEPolyline GEText* GERect* GECircle GELine GENewPage GEcreateSnapshot
    GEplaySnapshot GEplayDisplayList GEhandleEvent [RController* [RDocument*`,
  ],
  [
    "Tcl or Tk",
    "tcl-lang.org",
    `Tcl_* Tclp* TclNR* TclCompile* TclExec* TclObj* TclGet* TclFinalize* TclInit* TclThread*
    TclUnix* TclEval* TclInvoke* TclPtr* TclSet* TclVar* TclFree* TclReset* TclService*
    TclChannel* TclDelete* Tk_* Tkp* TkMac* TkBind* TkWm* TkGet* TkText* TkFocus* TkCanvas*
    TkMenu* TkDestroy* TkSend* TkFont* TkImg* TkGrab* TkCreate* TkSel* [TKApplication*
    [TKContentView* [TKWindow* [TKMenu*`,
  ],
  [
    "Perl",
    "Perl, perlapi",
    "Perl_* PerlIO* perl_run perl_parse perl_destruct perl_construct perl_free boot_DynaLoader",
  ],
  [
    "PHP",
    "php.net, Zend",
    `zend_* php_execute_* php_request_* php_error_* php_stream_* php_output_* php_module_*
    php_embed_* php_cli_* php_lint* php_var_* php_info_* php_pcre_* php_json_* php_mysqlnd_*
    _zend_* _php_* ZEND_* _emalloc* _efree* _erealloc* _ecalloc* _estrdup* zif_* zim_*`,
  ],
  [
    "the Java virtual machine",
    "OpenJDK, src/hotspot",
    `JVM_* JNI_CreateJavaVM* jni_* jio_* JavaThread::* JavaCalls::* VMThread::*
    InterpreterRuntime::* SharedRuntime::* Unsafe_* G1Collected* G1Concurrent* G1Par* G1Full*
    G1Young* G1Evac* G1Remark* G1Policy* G1Heap* CompileBroker::* SafepointSynchronize::*
    SafepointMechanism::* ObjectMonitor::* ObjectSynchronizer::* SystemDictionary::* oopDesc::*
    InstanceKlass::* LinkResolver::* Threads::create_vm* PhaseIdealLoop::* PhaseChaitin::*
    PhaseIterGVN::* GCTaskThread::* ConcurrentGCThread::* ParallelScavenge* PSScavenge*
    PSPromotion* MarkSweep* CodeCache::* nmethod::* CodeHeap::* StubRoutines::* Klass::*
    ClassFileParser::* GenCollectedHeap::* WorkGang::* AbstractGangWorker::* OopMap*
    StackWalker::* JvmtiEnv* JvmtiExport::*`,
  ],
  [
    "a library of Java's own",
    "OpenJDK, src/java.base and java.desktop",
    `Java_java_* Java_sun_* Java_com_apple_* Java_jdk_* Java_com_sun_* JLI_* AWT_* [AWT* [JNF*
    [JavaComponentAccessibility*`,
  ],
  [
    "JavaFX",
    "openjfx.io",
    `Java_com_sun_glass_* Java_com_sun_prism_* Java_com_sun_javafx_* Java_com_sun_webkit_*
    [GlassView* [GlassWindow* [GlassApplication* [GlassMenu* [GlassDialogs*`,
  ],
  ["SWT", "eclipse.org/swt", "Java_org_eclipse_swt_* [SWT*"],
  [
    "GHC's run-time",
    "GHC, rts",
    `stg_* hs_init* hs_exit* hs_free_* hs_main* rts_eval* rts_mk* rts_lock* rts_unlock*
    rts_apply* rts_checkSchedStatus* ghczmprim_* ghcziprim_* base_GHC* base_Control* base_Data*
    base_Foreign* base_System* base_Text* integerzmwired* integerwiredin* ghcBigNat*
    scheduleWaitThread* scavenge_* evacuate_* allocateMightFail* GarbageCollect workerStart
    StgRun StgRunIsImplementedInAssembler shutdownHaskell* initScheduler initStorage`,
  ],
  ["OCaml's standard library", "OCaml, stdlib", "camlStdlib* camlCamlinternal* camlPervasives*"],
  [
    "Erlang's run-time",
    "Erlang/OTP, erts",
    "enif_* ethr_* BeamAssembler::* BeamModuleAssembler::* beamasm_* efile_* erl_* esock_*",
  ],
  ["Julia", "Julia, src", "jl_* ijl_* julia_init* jlplt_*"],
  [
    "Go's standard library",
    "pkg.go.dev/std",
    `net/http.* net/url.* net/textproto.* net/netip.* internal/poll.* internal/syscall/*
    internal/bytealg.* internal/runtime/* internal/abi.* internal/cpu.* encoding/* crypto/*
    os/exec.* os/signal.* os/user.* path/filepath.* runtime/* sync/atomic.* text/* compress/*
    database/sql.* go/* html/* io/ioutil.* io/fs.* math/big.* math/rand.* mime/* reflect.Value.*
    reflect.(** reflect.call* reflect.method* reflect.make* sync.(** os.(** net.(** net.cgo*
    syscall.Syscall* syscall.syscall* syscall.rawSyscall* syscall.fork* time.(** bufio.(**
    bytes.(** strings.(** fmt.(** fmt.Fprint* fmt.Sprint* io.(** io.Copy* io.copyBuffer log.(**
    context.(** flag.(** regexp.(** sort.(** _cgo_* x_cgo_* crosscall*`,
  ],
  ["Go's package x", "pkg.go.dev/golang.org/x", "golang.org/x/* vendor/golang.org/*"],
  ["gomobile", "pkg.go.dev/golang.org/x/mobile", "go_seq_* seq.(**"],
  [
    "Swift's packages of its own project",
    "github.com/apple: swift-nio, swift-log, swift-collections",
    "NIOCore.* NIOPosix.* NIOHTTP1.* NIOSSL.* c_nio_* CNIO* _NIODataStructures.*",
  ],
  ["Haxe's run-time (hxcpp)", "hxcpp", "lime_* lime::* openfl::*"],
  ["Boost", "boost.org", "boost_asio_*"],
  ["Folly", "github.com/facebook/folly", "fizz::* wangle::* proxygen::* fbthrift::*"],
  ["Poco", "pocoproject.org", "poco_static_* poco_unexpected*"],
  [
    "PDFium",
    "pdfium.googlesource.com",
    `FPDF* FORM_OnAfterLoadPage FORM_OnMouse* FORM_DoDocument* CPDF_* CPDFSDK_* CFX_* CFFL_*
    CJS_* CXFA_* fxcrt::* CPWL_* CBA_* CJBig2_*`,
  ],
  [
    "MuPDF",
    "mupdf.com",
    `fz_* pdf_load_* pdf_open_* pdf_parse_* pdf_run_* pdf_process_* pdf_lex* pdf_cache_object
    pdf_resolve_indirect* pdf_dict_get* pdf_drop_* pdf_keep_*`,
  ],
  [
    "Poppler or xpdf",
    "poppler.freedesktop.org",
    `GfxState::* Gfx::* GfxFont::* SplashOutputDev::* Splash::* XRef::* PDFDoc::* JBIG2Stream::*
    JPXStream::* DCTStream::* FlateStream::* poppler_* Poppler::* SplashXPath* GfxSubpath::*
    CharCodeToUnicode::* FoFiTrueType::* FoFiType1*`,
  ],
  [
    "PDFTron (Apryse)",
    "docs.apryse.com",
    "pdftron::* TRN_* trn::* [PTPDF* [PTTool* [PTDocument* [PTAnnot*",
  ],
  [
    "Ghostscript",
    "ghostscript.com",
    `gs_main_* gs_lib_* gs_alloc_* gs_fapi_* gs_font_* gs_image_* gs_state_* gsapi_* gx_device_*
    gx_default_* gx_path_*`,
  ],
  [
    "readline or libedit",
    "gnu.org/software/readline",
    `rl_callback_* rl_insert* rl_redisplay* rl_complete* rl_read* rl_initialize* rl_prep_*
    rl_deprep_* rl_set_* rl_get_* rl_bind_* rl_parse_* rl_forward* rl_backward* rl_signal*
    rl_cleanup* _rl_* el_gets el_init el_parse readline_internal* history_expand*`,
  ],
  ["ncurses", "invisible-island.net/ncurses", "_nc_* wrefresh doupdate"],
  ["libgit2", "libgit2.org", "git_* giterr_*"],
  [
    "Hunspell or Aspell",
    "hunspell.github.io, aspell.net",
    `Hunspell::* HunspellImpl::* AffixMgr::* SuggestMgr::* HashMgr::* Hunspell_* acommon::*
    aspeller::* aspell_*`,
  ],
  ["Xapian or CLucene", "xapian.org", "Xapian::* lucene::*"],
  ["VTK", "vtk.org", "vtk::*"],
  [
    "3D Slicer",
    "slicer.org: its classes begin as those of VTK and Qt do",
    "vtkMRML* vtkSlicer* vtkIGSIO* qSlicer* qMRML*",
  ],
  [
    "ParaView",
    "paraview.org",
    `vtkPV* vtkSMProxy* vtkSMSource* vtkSMSession* vtkSMView* vtkSMProperty* vtkSIProxy*
    vtkSISource*`,
  ],
  [
    ".NET's run-time",
    "dotnet/runtime, src/coreclr",
    `WKS::* SVR::* MethodTable::* MethodDesc::* EEJitManager::* CEEInfo::* ThePreStub* JIT_New*
    RhpNew* RhNew* RhpAssign* RhpCheck* RhpGc* RhCollect* GlobalizationNative_* EventPipe*
    ds_ipc* StubManager::* SystemDomain::* AppDomain::* ThreadSuspend::* CallDescrWorker*
    UMThunkStub* ExceptionTracker::* MDInternalR* SyncBlock::* ReadyToRunInfo::*
    GCToEEInterface::* GCHeap::* PEAssembly::* ClassLoader::LoadType* MethodDescCallSite*
    CrstBase::* coreclr_* hostfxr_* hostpolicy_*`,
  ],
  [
    ".NET's own libraries, compiled ahead of time",
    "dotnet/runtime, Native AOT",
    `S_P_CoreLib_* S_P_TypeLoader_* S_P_StackTraceMetadata_* S_P_Reflection_* System_Private_*
    Microsoft_iOS_* Microsoft_macOS_* Microsoft_MacCatalyst_* Microsoft_Maui_*
    Microsoft_Extensions_* Microsoft_AspNetCore_* Microsoft_CSharp_*`,
  ],
  ["ITK", "itk.org", "gdcm::* vnl_* vnl::* itksys::*"],
  [
    "DCMTK",
    "dcmtk.org",
    `DcmItem::* DcmDataset::* DcmFile* DcmElement::* DcmSequence* DiMono* dcmtk::* OFString*
    DcmDirectory*`,
  ],
  [
    "Scintilla",
    "scintilla.org",
    "Scintilla::* Lexilla::* [SCIContentView* [ScintillaView* [SCIMarginView*",
  ],
  ["FLTK", "fltk.org", "Fl_* Fl::* fl_handle* fl_open_display* fl_create_* [FLView* [FLWindow*"],
  ["GNUstep or Cocotron", "gnustep.github.io", "GSNotificationQueue* [GSRunLoop*"],
  [
    "Csound, SuperCollider, Pure Data or ChucK",
    "their sources",
    "csoundPerform* csoundCompile* csoundCreate* csoundReset* sclang_* Chuck_*",
  ],
  ["gTest", "github.com/google/googletest", "testing::*"],
  ["Catch2 or doctest", "github.com/catchorg/Catch2", "Catch::* doctest::*"],
  [
    "Sanitizers",
    "LLVM, compiler-rt",
    "__asan::* __sanitizer::* __tsan::* __ubsan::* __msan::* __lsan::* __interceptor_* fuzzer::*",
  ],
  [
    "Azure's, AWS's or Google's SDK",
    "github.com/aws/aws-sdk-cpp, github.com/awslabs/aws-c-common",
    "Aws::* aws_* Azure::* s2n_*",
  ],
  [
    "the C++ REST SDK",
    "github.com/microsoft/cpprestsdk",
    "pplx::* web::http::* web::json::* utility::conversions::*",
  ],
  [
    "Sentry's or another native reporter",
    "github.com/getsentry/sentry-native",
    "sentry_value_* sentry__* sentry_options_* sentry_capture_*",
  ],
  ["Boringtun, wireguard-go or libwg", "github.com/WireGuard", "wgTurn* golang.zx2c4.com/*"],
  [
    "lwIP",
    "savannah.nongnu.org/projects/lwip",
    `lwip_* pbuf_* tcpip_thread tcpip_input netif_add netif_set_* etharp_* tcp_slowtmr
    tcp_fasttmr tcp_tmr sys_timeouts_*`,
  ],
  ["KCP, tun2socks or leaf", "github.com/skywind3000/kcp", "ikcp_* hev_*"],
  ["Xray or V2Ray", "github.com/xtls, github.com/v2fly", "github.com/xtls/* github.com/v2fly/*"],
  ["OpenVPN", "github.com/OpenVPN", "openvpn::*"],
  [
    "QEMU",
    "qemu.org",
    `qemu_* tcg_* cpu_exec* cpu_loop_exit* address_space_rw address_space_read*
    address_space_write* address_space_ld* address_space_st* memory_region_*`,
  ],
  [
    "libimobiledevice",
    "libimobiledevice.org",
    `idevice_* lockdownd_* usbmuxd_* plist_from_* plist_to_* plist_new_* plist_dict_*
    plist_array_* plist_get_* plist_free plist_access_path* afc_client_* instproxy_*
    mobilebackup2_* restored_*`,
  ],
  [
    "Frida, Substrate, fishhook or Dobby",
    "frida.re, github.com/facebook/fishhook, github.com/jmpews/Dobby",
    `gum_* _gum_* frida_* MSHook* rebind_symbols* perform_rebinding_with_section DobbyHook*
    LHHook*`,
  ],
  ["FMOD or Wwise", "fmod.com, audiokinetic.com", "FMOD5_* AkSound*"],
];

/** Classes of toolkits whose prefix others have for classes of their own, so that only whole names tell: what they all begin
 * with, and what follows; the private ones that belong to them are known, too. */
export const toolkits: Names = [
  [
    "Qt",
    "doc.qt.io/qt-6/classes.html",
    `AbstractAnimation AbstractAnimationJob AbstractButton AbstractEventDispatcher
    AbstractFileEngine AbstractItemDelegate AbstractItemModel AbstractItemView AbstractListModel
    AbstractProxyModel AbstractScrollArea AbstractSlider AbstractSocket AbstractSpinBox
    AbstractTableModel AbstractTextDocumentLayout AbstractTransition Accessible
    AccessibleActionInterface AccessibleCache AccessibleQuickItem AccessibleWidget Action
    ActionGroup AnimationDriver AnimationGroup Application AssociativeIterable BackingStore
    BasicDrag Bezier Bitmap BlittablePlatformPixmap BlitterPaintEngine BoxLayout Brush Buffer
    ButtonGroup ByteArray Calendar CalendarBackend CalendarWidget CborArray CborMap
    CborStreamReader CborStreamWriter CborValue CborValueRef Char CheckBox Clipboard Collator
    Color ColorDialog ColorDialogOptions ColorSpace Colormap ColumnView ComboBox
    ComboBoxPrivateContainer CommandLineOption CommandLineParser CommandLinkButton CommonStyle
    Completer ConcatenateTablesProxyModel CoreApplication Css Cursor DataStream DataWidgetMapper
    Date DateTime DateTimeEdit DateTimeParser DeadlineTimer Dial Dialog DialogButtonBox Dir
    DirIterator DirModel DistanceField DnsLookup DockWidget DockWidgetLayout DoubleSpinBox
    DoubleValidator Drag Dtls EasingCurve ElapsedTimer EventDispatcherGlib EventDispatcherUNIX
    EventLoop EventPoint FSFileEngine FactoryLoader File FileDevice FileDialog FileDialogOptions
    FileInfo FileInfoGatherer FileSelector FileSystemModel FileSystemWatcher FocusFrame Font
    FontCache FontComboBox FontDatabase FontDialog FontEngine FontEngineFT FontEngineMulti
    FontEngineQPF2 FontInfo FontMetrics FontMetricsF FormLayout Frame FusionStyle
    FutureInterfaceBase FutureWatcherBase Gesture GestureEvent GlyphRun Gradient
    GraphicsAnchorLayout GraphicsBlurEffect GraphicsColorizeEffect GraphicsDropShadowEffect
    GraphicsEffect GraphicsEffectSource GraphicsEllipseItem GraphicsGridLayout GraphicsItem
    GraphicsItemAnimation GraphicsLayout GraphicsLayoutItem GraphicsLineItem
    GraphicsLinearLayout GraphicsObject GraphicsOpacityEffect GraphicsPathItem
    GraphicsPixmapItem GraphicsPolygonItem GraphicsProxyWidget GraphicsRectItem GraphicsRotation
    GraphicsScale GraphicsScene GraphicsSceneContextMenuEvent GraphicsSceneDragDropEvent
    GraphicsSceneHoverEvent GraphicsSceneMouseEvent GraphicsSceneWheelEvent
    GraphicsSimpleTextItem GraphicsTextItem GraphicsView GraphicsWidget GregorianCalendar
    GridLayout GridLayoutEngine GridLayoutItem GroupBox GuiApplication HeaderView HighDpiScaling
    HostAddress IODevice Icon IconEngine IconLoader IdentityProxyModel Image ImageIOHandler
    ImagePixmapCleanupHooks ImageReader ImageWriter InputDevice InputDeviceManager InputDialog
    InputMethod IntValidator InternalMimeData ItemDelegate ItemSelectionModel JSEngine
    JSManagedValue JSValue JalaliCalendar JsonArray JsonDocument JsonObject JsonValue
    KeySequence KeySequenceEdit LCDNumber Label Layout Library LineEdit ListView ListWidget
    ListWidgetItem LocalServer LocalSocket Locale LockFile MainWindow Matrix Matrix4x4 MdiArea
    MdiSubWindow Menu MenuBar MessageBox MessageDialogOptions MessageLogger MetaContainer
    MetaEnum MetaEnumBuilder MetaMethod MetaMethodBuilder MetaProperty MetaPropertyBuilder
    MetaSequence MetaType MimeData MimeDatabase MimeType Movie NetworkAccessManager
    NetworkConfigurationManager NetworkCookie NetworkDatagram NetworkProxy NetworkProxyQuery
    NetworkReply NetworkRequest NetworkSession Object OffscreenSurface OpenGL2PaintEngineEx
    OpenGLBuffer OpenGLContext OpenGLContextGroup OpenGLFramebufferObject OpenGLShaderProgram
    OpenGLTexture OpenGLWidget OpenGLWindow PageLayout PageSize PagedPaintDevice
    PaintDeviceWindow PaintEngine PaintEngineEx PaintEngineState Painter PainterPath
    PainterPathStroker Palette PanGesture ParallelAnimationGroup PdfEngine PdfWriter Pen
    PersistentModelIndex Picture PictureIO PinchGesture Pixmap PixmapBlurFilter PixmapCache
    PixmapConvolutionFilter PixmapDropShadowFilter PixmapIconEngine PixmapStyle
    PlainTextDocumentLayout PlainTextEdit PluginLoader PointingDevice Polygon PolygonF Process
    ProcessEnvironment ProgressBar ProgressDialog PropertyAnimation ProxyStyle PushButton
    Quaternion RadialGradient RadioButton RasterPaintEngine RasterPlatformPixmap RawFont RegExp
    Region RegularExpression RegularExpressionMatch RegularExpressionMatchIterator Resource
    RingBuffer RubberBand SaveFile Screen ScrollArea ScrollBar Scroller SequentialAnimationGroup
    SequentialIterable SessionManager Settings Shader ShaderDescription SharedMemory Shortcut
    ShortcutMap SignalMapper SizeGrip Slider SocketNotifier SortFilterProxyModel SpinBox
    SplashScreen Splitter SplitterHandle SslCertificate SslConfiguration SslSocket StackedLayout
    StackedWidget StandardItem StandardItemModel State StateMachine StaticText StatusBar
    StorageInfo String StringListModel StringMatcher StringRef Style StyleAnimation StyleHints
    StyledItemDelegate SurfaceFormat SyntaxHighlighter SysInfo SystemTrayIcon TabBar TabWidget
    TableView TableWidget TableWidgetItem TcpServer TemporaryFile Test TextBlock
    TextBoundaryFinder TextBrowser TextCodec TextCursor TextDocument TextDocumentFragment
    TextDocumentLayout TextDocumentWriter TextEdit TextEngine TextFormat TextFrame
    TextInlineObject TextLayout TextLine TextList TextObject TextStream TextStreamFunctions
    TextTable TextTableCell TextureFileData Thread ThreadPool Time TimeLine TimeZone Timer
    TimerInfoList ToolBar ToolBox ToolButton TouchEvent Transform Translator TransposeProxyModel
    TreeView TreeWidget TreeWidgetItem UndoCommand UndoGroup UndoStack UndoView UnifiedTimer Url
    UrlInfo UrlQuery Uuid Validator Variant VariantAnimation Vector3D VersionNumber Widget
    WidgetAction WidgetItem WidgetLineControl WidgetRepaintManager WidgetTextControl Window
    WindowContainer WindowSystemInterface WindowsStyle Wizard WizardPage XmlStreamReader
    XmlStreamWriter XmlUtils ZipReader ZipWriter`,
    "Q",
  ],
  [
    "wxWidgets",
    "docs.wxwidgets.org, Classes",
    `ANIDecoder AcceleratorTable AffineMatrix2D Animation AnimationCtrl AnimationGenericImpl
    AnyButton App AppConsoleBase ArchiveFSHandler ArrayString ArrayStringProperty ArtProvider
    AuiDefaultDockArt AuiFloatingFrame AuiGenericTabArt AuiGenericToolBarArt AuiMDIChildFrame
    AuiMDIClientWindow AuiMDIParentFrame AuiManager AuiNotebook AuiSimpleTabArt AuiTabContainer
    AuiTabCtrl AuiToolBar BannerWindow Bitmap BitmapBase BitmapBundle BitmapComboBox
    BookCtrlBase Brush BufferedInputStream BufferedOutputStream Button CSConv CairoContext
    CairoMatrixData CairoPathData CairoRenderer Caret CheckBox Choice Choicebook Clipboard
    CmdLineParser CollapsiblePane Colour ColourBase ColourData ComboBox ComboCtrlBase ComboPopup
    CommandProcessor ConfigBase Control Cursor DCImpl DataFormat DataInputStream
    DataObjectComposite DataOutputStream DataViewColumn DataViewCtrl DataViewCtrlBase
    DataViewCustomRenderer DataViewIndexListModel DataViewListCtrl DataViewListStore
    DataViewModel DataViewRenderer DataViewRendererBase DataViewTreeCtrl DataViewTreeStore
    DataViewVirtualListModel DatePickerCtrlGeneric DateProperty DateTime DebugReport
    DialUpManagerImpl Dialog DialogBase Dir DirProperty Display DocManager Document DropTarget
    DynamicLibrary EditEnumProperty EditableListBox EnumProperty EventLoopBase ExtHelpController
    FFile FFileInputStream FFileOutputStream FTP File FileConfig FileData FileDialog
    FileDialogBase FileHistoryBase FileInputStream FileListCtrl FileName FileOutputStream
    FileProperty FileSystem FileSystemWatcherBase FileType FindReplaceDialog FlagsProperty
    FlexGridSizer FloatProperty Font FontBase FontMapperBase FontPickerCtrl FontProperty Frame
    GBSizerItem GCDCImpl GIFDecoder GIFHandler GUIAppTraits Gauge GenericAnimationCtrl
    GenericCalendarCtrl GenericCollapsibleHeaderCtrl GenericComboCtrl GenericDirCtrl
    GenericDragImage GenericFileCtrl GenericHyperlinkCtrl GenericImageList GenericListCtrl
    GenericMessageDialog GenericPageSetupDialog GenericPrintDialog GenericPrintSetupDialog
    GenericProgressDialog GenericStaticText GenericTreeCtrl GenericTreeItem GenericValidator
    GraphicsContext GraphicsMatrix GraphicsObject GraphicsPath Grid GridBagSizer GridCellAttr
    GridCellAttrProvider GridCellBoolEditor GridCellChoiceEditor GridCellDateEditor
    GridCellEditor GridCellNumberEditor GridCellTextEditor GridSelection GridSizer
    GridStringTable GridTableBase GridWindow HTTP HashTableBase HeaderCtrl HeaderCtrlBase
    HeaderCtrlSimple HtmlCell HtmlContainerCell HtmlDCRenderer HtmlEasyPrinting
    HtmlHelpController HtmlHelpData HtmlHelpDialog HtmlHelpFrame HtmlHelpWindow HtmlListBox
    HtmlParser HtmlPrintout HtmlTag HtmlWinParser HtmlWindow HyperlinkCtrl IFFDecoder IPaddress
    IconBundle Image IndividualLayoutConstraint InfoBar InfoBarGeneric InputStream IntProperty
    ItemContainer Joystick KeyEvent ListBase ListBox ListBoxBase ListCtrlBase ListCtrlXmlHandler
    Listbook Locale LocaleIdent Log MDIChildFrame Mask MemoryFSHandlerBase MemoryInputStream
    Menu MenuBar MenuBarBase MenuItem MenuItemBase MessageDialog MimeTypesManager
    MimeTypesManagerImpl MouseEvent MultiChoiceProperty NativeFontInfo NativePrintFactory
    Notebook NumberFormatter OutputStream Overlay OwnerDrawnComboBox PGArrayEditorDialog
    PGArrayStringEditorDialog PGCell PGCheckBoxEditor PGChoiceEditor PGChoices PGEditor
    PGProperty PGTextCtrlEditor PageSetupDialogData Palette Pen PersistenceManager Platform
    PlatformInfo PopupTransientWindow PostScriptDCImpl PreviewCanvas PreviewControlBar
    PreviewFrame PrintData PrintPaperDatabase PrintPreview PrintPreviewBase Printout Process
    PropertyCategory PropertyGrid PropertyGridInterface PropertyGridManager PropertyGridPage
    PropertyGridPageState PropertyGridPopulator PropertySheetDialog Protocol RadioBox
    RadioButton RearrangeList RegEx Region RegionIterator RibbonAUIArtProvider RibbonBar
    RibbonButtonBar RibbonControl RibbonGallery RibbonMSWArtProvider RibbonPage RibbonPanel
    RibbonToolBar RibbonXmlHandler RichTextBackgroundPage RichTextBordersPage RichTextBuffer
    RichTextBulletsPage RichTextCell RichTextCompositeObject RichTextCtrl RichTextField
    RichTextFontListBox RichTextFontPage RichTextFontTable RichTextFormattingDialog
    RichTextHTMLHandler RichTextImage RichTextImageBlock RichTextIndentsSpacingPage
    RichTextListStyleDefinition RichTextListStylePage RichTextMarginsPage RichTextObject
    RichTextObjectPropertiesDialog RichTextParagraph RichTextParagraphLayoutBox
    RichTextPlainText RichTextPrinting RichTextPrintout RichTextProperties RichTextSizePage
    RichTextStyleListBox RichTextStyleListCtrl RichTextStyleOrganiserDialog RichTextStylePage
    RichTextStyleSheet RichTextTable RichTextTabsPage RichTextXMLHelper SVGFileDCImpl SashWindow
    ScrollBar ScrollHelperBase SearchCtrl SimpleHtmlListBox SingleChoiceDialog Sizer SizerItem
    SizerXmlHandler Slider SockAddress SocketBase Sound SpinButton SplashScreen SplitterWindow
    StandardDialogLayoutAdapter StandardPaths StandardPathsBase StaticBox StaticText StatusBar
    StatusBarBase StreamBuffer String StringTokenizer StyledTextCtrl SymbolListCtrl
    SymbolPickerDialog SystemColourProperty TCPConnection TarEntry TarInputStream
    TarOutputStream TaskBarIcon TextAttr TextBuffer TextCtrl TextCtrlBase TextEntry
    TextEntryBase TextEntryDialog TextInputStream TextOutputStream TextValidator Thread Timer
    ToggleButton ToolBar ToolBarBase Toolbook TopLevelWindowBase TransformMatrix Translations
    TreeCtrlBase TreeListCtrl TreeTextCtrl Treebook UIActionSimulator UILocale UIntProperty URI
    URL UString VListBox VListBoxComboPopup VarHVScrollHelper VarScrollHelperBase Variant
    VariantDataList View Window Wizard WrapSizer WrapperInputStream XmlDocument XmlNode
    XmlResource XmlResourceHandlerImpl ZipEntry ZipInputStream ZipOutputStream`,
    "wx",
  ],
];
