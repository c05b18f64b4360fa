// Written by deploy/page. Do not edit.
#include "dashboard_files.h"

// All supported compilers know #embed, but older ones warn that it is new.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char file_api_js[] = {
#embed "../Web/Page/api.js"
};

static const unsigned char file_beacon_js[] = {
#embed "../Web/Page/beacon.js"
};

static const unsigned char file_calibrate_result_js[] = {
#embed "../Web/Page/calibrate-result.js"
};

static const unsigned char file_calibrate_js[] = {
#embed "../Web/Page/calibrate.js"
};

static const unsigned char file_change_lines_js[] = {
#embed "../Web/Page/change-lines.js"
};

static const unsigned char file_chart_bar_js[] = {
#embed "../Web/Page/chart-bar.js"
};

static const unsigned char file_colours_css[] = {
#embed "../Web/Page/colours.css"
};

static const unsigned char file_copy_js[] = {
#embed "../Web/Page/copy.js"
};

static const unsigned char file_decision_list_js[] = {
#embed "../Web/Page/decision-list.js"
};

static const unsigned char file_delivery_js[] = {
#embed "../Web/Page/delivery.js"
};

static const unsigned char file_diary_js[] = {
#embed "../Web/Page/diary.js"
};

static const unsigned char file_dom_js[] = {
#embed "../Web/Page/dom.js"
};

static const unsigned char file_draw_board_js[] = {
#embed "../Web/Page/draw-board.js"
};

static const unsigned char file_draw_picture_js[] = {
#embed "../Web/Page/draw-picture.js"
};

static const unsigned char file_draw_plan_js[] = {
#embed "../Web/Page/draw-plan.js"
};

static const unsigned char file_draw_words_de_js[] = {
#embed "../Web/Page/draw-words-de.js"
};

static const unsigned char file_draw_words_en_js[] = {
#embed "../Web/Page/draw-words-en.js"
};

static const unsigned char file_draw_words_js[] = {
#embed "../Web/Page/draw-words.js"
};

static const unsigned char file_draw_css[] = {
#embed "../Web/Page/draw.css"
};

static const unsigned char file_draw_js[] = {
#embed "../Web/Page/draw.js"
};

static const unsigned char file_dwell_bar_js[] = {
#embed "../Web/Page/dwell-bar.js"
};

static const unsigned char file_enrol_words_de_js[] = {
#embed "../Web/Page/enrol-words-de.js"
};

static const unsigned char file_enrol_words_en_js[] = {
#embed "../Web/Page/enrol-words-en.js"
};

static const unsigned char file_enrol_words_js[] = {
#embed "../Web/Page/enrol-words.js"
};

static const unsigned char file_enrol_js[] = {
#embed "../Web/Page/enrol.js"
};

static const unsigned char file_feed_js[] = {
#embed "../Web/Page/feed.js"
};

static const unsigned char file_figures_js[] = {
#embed "../Web/Page/figures.js"
};

static const unsigned char file_frame_js[] = {
#embed "../Web/Page/frame.js"
};

static const unsigned char file_icon_svg[] = {
#embed "../Web/Page/icon.svg"
};

static const unsigned char file_index_html[] = {
#embed "../Web/Page/index.html"
};

static const unsigned char file_language_js[] = {
#embed "../Web/Page/language.js"
};

static const unsigned char file_later_js[] = {
#embed "../Web/Page/later.js"
};

static const unsigned char file_line_handles_js[] = {
#embed "../Web/Page/line-handles.js"
};

static const unsigned char file_login_js[] = {
#embed "../Web/Page/login.js"
};

static const unsigned char file_main_js[] = {
#embed "../Web/Page/main.js"
};

static const unsigned char file_members_js[] = {
#embed "../Web/Page/members.js"
};

static const unsigned char file_now_css[] = {
#embed "../Web/Page/now.css"
};

static const unsigned char file_now_js[] = {
#embed "../Web/Page/now.js"
};

static const unsigned char file_openapi_json[] = {
#embed "../Web/Page/openapi.json"
};

static const unsigned char file_page_css[] = {
#embed "../Web/Page/page.css"
};

static const unsigned char file_page_webmanifest[] = {
#embed "../Web/Page/page.webmanifest"
};

static const unsigned char file_paper_js[] = {
#embed "../Web/Page/paper.js"
};

static const unsigned char file_phones_js[] = {
#embed "../Web/Page/phones.js"
};

static const unsigned char file_places_js[] = {
#embed "../Web/Page/places.js"
};

static const unsigned char file_plan_canvas_js[] = {
#embed "../Web/Page/plan-canvas.js"
};

static const unsigned char file_plan_card_js[] = {
#embed "../Web/Page/plan-card.js"
};

static const unsigned char file_plan_labels_js[] = {
#embed "../Web/Page/plan-labels.js"
};

static const unsigned char file_plan_people_js[] = {
#embed "../Web/Page/plan-people.js"
};

static const unsigned char file_plan_rooms_js[] = {
#embed "../Web/Page/plan-rooms.js"
};

static const unsigned char file_plan_time_js[] = {
#embed "../Web/Page/plan-time.js"
};

static const unsigned char file_plan_zoom_js[] = {
#embed "../Web/Page/plan-zoom.js"
};

static const unsigned char file_plan_js[] = {
#embed "../Web/Page/plan.js"
};

static const unsigned char file_range_strip_js[] = {
#embed "../Web/Page/range-strip.js"
};

static const unsigned char file_reasons_js[] = {
#embed "../Web/Page/reasons.js"
};

static const unsigned char file_receivers_js[] = {
#embed "../Web/Page/receivers.js"
};

static const unsigned char file_recording_js[] = {
#embed "../Web/Page/recording.js"
};

static const unsigned char file_rename_js[] = {
#embed "../Web/Page/rename.js"
};

static const unsigned char file_route_js[] = {
#embed "../Web/Page/route.js"
};

static const unsigned char file_settings_js[] = {
#embed "../Web/Page/settings.js"
};

static const unsigned char file_setup_words_de_js[] = {
#embed "../Web/Page/setup-words-de.js"
};

static const unsigned char file_setup_words_en_js[] = {
#embed "../Web/Page/setup-words-en.js"
};

static const unsigned char file_setup_words_js[] = {
#embed "../Web/Page/setup-words.js"
};

static const unsigned char file_setup_css[] = {
#embed "../Web/Page/setup.css"
};

static const unsigned char file_setup_js[] = {
#embed "../Web/Page/setup.js"
};

static const unsigned char file_sparkline_js[] = {
#embed "../Web/Page/sparkline.js"
};

static const unsigned char file_store_js[] = {
#embed "../Web/Page/store.js"
};

static const unsigned char file_strangers_js[] = {
#embed "../Web/Page/strangers.js"
};

static const unsigned char file_theme_js[] = {
#embed "../Web/Page/theme.js"
};

static const unsigned char file_thing_icon_js[] = {
#embed "../Web/Page/thing-icon.js"
};

static const unsigned char file_things_js[] = {
#embed "../Web/Page/things.js"
};

static const unsigned char file_trace_axes_js[] = {
#embed "../Web/Page/trace-axes.js"
};

static const unsigned char file_trace_canvas_js[] = {
#embed "../Web/Page/trace-canvas.js"
};

static const unsigned char file_trace_data_js[] = {
#embed "../Web/Page/trace-data.js"
};

static const unsigned char file_trace_decisions_js[] = {
#embed "../Web/Page/trace-decisions.js"
};

static const unsigned char file_trace_dots_js[] = {
#embed "../Web/Page/trace-dots.js"
};

static const unsigned char file_trace_hand_js[] = {
#embed "../Web/Page/trace-hand.js"
};

static const unsigned char file_trace_paint_js[] = {
#embed "../Web/Page/trace-paint.js"
};

static const unsigned char file_try_comparison_js[] = {
#embed "../Web/Page/try-comparison.js"
};

static const unsigned char file_try_conflict_js[] = {
#embed "../Web/Page/try-conflict.js"
};

static const unsigned char file_try_form_js[] = {
#embed "../Web/Page/try-form.js"
};

static const unsigned char file_try_rings_js[] = {
#embed "../Web/Page/try-rings.js"
};

static const unsigned char file_try_js[] = {
#embed "../Web/Page/try.js"
};

static const unsigned char file_views_css[] = {
#embed "../Web/Page/views.css"
};

static const unsigned char file_words_de_js[] = {
#embed "../Web/Page/words-de.js"
};

static const unsigned char file_words_en_js[] = {
#embed "../Web/Page/words-en.js"
};

static const unsigned char file_words_js[] = {
#embed "../Web/Page/words.js"
};

static const unsigned char file_zone_js[] = {
#embed "../Web/Page/zone.js"
};

static const struct dashboard_file files[] = {
    {"api.js", file_api_js, sizeof file_api_js},
    {"beacon.js", file_beacon_js, sizeof file_beacon_js},
    {"calibrate-result.js", file_calibrate_result_js, sizeof file_calibrate_result_js},
    {"calibrate.js", file_calibrate_js, sizeof file_calibrate_js},
    {"change-lines.js", file_change_lines_js, sizeof file_change_lines_js},
    {"chart-bar.js", file_chart_bar_js, sizeof file_chart_bar_js},
    {"colours.css", file_colours_css, sizeof file_colours_css},
    {"copy.js", file_copy_js, sizeof file_copy_js},
    {"decision-list.js", file_decision_list_js, sizeof file_decision_list_js},
    {"delivery.js", file_delivery_js, sizeof file_delivery_js},
    {"diary.js", file_diary_js, sizeof file_diary_js},
    {"dom.js", file_dom_js, sizeof file_dom_js},
    {"draw-board.js", file_draw_board_js, sizeof file_draw_board_js},
    {"draw-picture.js", file_draw_picture_js, sizeof file_draw_picture_js},
    {"draw-plan.js", file_draw_plan_js, sizeof file_draw_plan_js},
    {"draw-words-de.js", file_draw_words_de_js, sizeof file_draw_words_de_js},
    {"draw-words-en.js", file_draw_words_en_js, sizeof file_draw_words_en_js},
    {"draw-words.js", file_draw_words_js, sizeof file_draw_words_js},
    {"draw.css", file_draw_css, sizeof file_draw_css},
    {"draw.js", file_draw_js, sizeof file_draw_js},
    {"dwell-bar.js", file_dwell_bar_js, sizeof file_dwell_bar_js},
    {"enrol-words-de.js", file_enrol_words_de_js, sizeof file_enrol_words_de_js},
    {"enrol-words-en.js", file_enrol_words_en_js, sizeof file_enrol_words_en_js},
    {"enrol-words.js", file_enrol_words_js, sizeof file_enrol_words_js},
    {"enrol.js", file_enrol_js, sizeof file_enrol_js},
    {"feed.js", file_feed_js, sizeof file_feed_js},
    {"figures.js", file_figures_js, sizeof file_figures_js},
    {"frame.js", file_frame_js, sizeof file_frame_js},
    {"icon.svg", file_icon_svg, sizeof file_icon_svg},
    {"index.html", file_index_html, sizeof file_index_html},
    {"language.js", file_language_js, sizeof file_language_js},
    {"later.js", file_later_js, sizeof file_later_js},
    {"line-handles.js", file_line_handles_js, sizeof file_line_handles_js},
    {"login.js", file_login_js, sizeof file_login_js},
    {"main.js", file_main_js, sizeof file_main_js},
    {"members.js", file_members_js, sizeof file_members_js},
    {"now.css", file_now_css, sizeof file_now_css},
    {"now.js", file_now_js, sizeof file_now_js},
    {"openapi.json", file_openapi_json, sizeof file_openapi_json},
    {"page.css", file_page_css, sizeof file_page_css},
    {"page.webmanifest", file_page_webmanifest, sizeof file_page_webmanifest},
    {"paper.js", file_paper_js, sizeof file_paper_js},
    {"phones.js", file_phones_js, sizeof file_phones_js},
    {"places.js", file_places_js, sizeof file_places_js},
    {"plan-canvas.js", file_plan_canvas_js, sizeof file_plan_canvas_js},
    {"plan-card.js", file_plan_card_js, sizeof file_plan_card_js},
    {"plan-labels.js", file_plan_labels_js, sizeof file_plan_labels_js},
    {"plan-people.js", file_plan_people_js, sizeof file_plan_people_js},
    {"plan-rooms.js", file_plan_rooms_js, sizeof file_plan_rooms_js},
    {"plan-time.js", file_plan_time_js, sizeof file_plan_time_js},
    {"plan-zoom.js", file_plan_zoom_js, sizeof file_plan_zoom_js},
    {"plan.js", file_plan_js, sizeof file_plan_js},
    {"range-strip.js", file_range_strip_js, sizeof file_range_strip_js},
    {"reasons.js", file_reasons_js, sizeof file_reasons_js},
    {"receivers.js", file_receivers_js, sizeof file_receivers_js},
    {"recording.js", file_recording_js, sizeof file_recording_js},
    {"rename.js", file_rename_js, sizeof file_rename_js},
    {"route.js", file_route_js, sizeof file_route_js},
    {"settings.js", file_settings_js, sizeof file_settings_js},
    {"setup-words-de.js", file_setup_words_de_js, sizeof file_setup_words_de_js},
    {"setup-words-en.js", file_setup_words_en_js, sizeof file_setup_words_en_js},
    {"setup-words.js", file_setup_words_js, sizeof file_setup_words_js},
    {"setup.css", file_setup_css, sizeof file_setup_css},
    {"setup.js", file_setup_js, sizeof file_setup_js},
    {"sparkline.js", file_sparkline_js, sizeof file_sparkline_js},
    {"store.js", file_store_js, sizeof file_store_js},
    {"strangers.js", file_strangers_js, sizeof file_strangers_js},
    {"theme.js", file_theme_js, sizeof file_theme_js},
    {"thing-icon.js", file_thing_icon_js, sizeof file_thing_icon_js},
    {"things.js", file_things_js, sizeof file_things_js},
    {"trace-axes.js", file_trace_axes_js, sizeof file_trace_axes_js},
    {"trace-canvas.js", file_trace_canvas_js, sizeof file_trace_canvas_js},
    {"trace-data.js", file_trace_data_js, sizeof file_trace_data_js},
    {"trace-decisions.js", file_trace_decisions_js, sizeof file_trace_decisions_js},
    {"trace-dots.js", file_trace_dots_js, sizeof file_trace_dots_js},
    {"trace-hand.js", file_trace_hand_js, sizeof file_trace_hand_js},
    {"trace-paint.js", file_trace_paint_js, sizeof file_trace_paint_js},
    {"try-comparison.js", file_try_comparison_js, sizeof file_try_comparison_js},
    {"try-conflict.js", file_try_conflict_js, sizeof file_try_conflict_js},
    {"try-form.js", file_try_form_js, sizeof file_try_form_js},
    {"try-rings.js", file_try_rings_js, sizeof file_try_rings_js},
    {"try.js", file_try_js, sizeof file_try_js},
    {"views.css", file_views_css, sizeof file_views_css},
    {"words-de.js", file_words_de_js, sizeof file_words_de_js},
    {"words-en.js", file_words_en_js, sizeof file_words_en_js},
    {"words.js", file_words_js, sizeof file_words_js},
    {"zone.js", file_zone_js, sizeof file_zone_js},
};

const struct dashboard_file *dashboard_file(size_t index) {
  return index < sizeof files / sizeof files[0] ? &files[index] : NULL;
}
